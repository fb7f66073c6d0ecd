-- Deletes the ended runs that match a filter, newest first, at most p_limit (fewer if they have many tasks). Deletes
-- each run in the same way as delete_run. refused: {id, reason} of each run that cannot be deleted now. To process more
-- runs, pass next_before as p_before in the next call. next_before is null if no runs remain. p_dry_run: returns the
-- runs, and changes nothing.
create or replace function tenuto.delete_runs(
  p_org_id uuid, p_status text default null, p_name text default null, p_type text default null,
  p_since timestamptz default null, p_before uuid default null, p_limit int default 100,
  p_dry_run boolean default false,
  out run_ids uuid[], out refused jsonb, out next_before uuid)
  language plpgsql
as $$
declare
  v_ids uuid[];
  v_id uuid;
begin
  perform tenuto._require_read_committed();
  perform tenuto._check_page(p_limit);
  perform tenuto._check_filter(p_status, p_name, p_type, p_since, '{completed,failed,cancelled}');
  select f.ids, f.next_before
  into v_ids, next_before
  from tenuto._find_runs(p_org_id, coalesce(p_status, 'ended'), p_name, p_type, p_since, p_before, p_limit) f;
  run_ids := '{}';
  refused := '[]';
  if p_dry_run then
    run_ids := v_ids;
    return;
  end if;
  select p.ids, p.next_before into v_ids, next_before from tenuto._one_piece(v_ids, next_before, 0) p;
  foreach v_id in array v_ids
  loop
    begin
      perform tenuto._delete_run(p_org_id, v_id);
      run_ids := run_ids || v_id;
    exception when sqlstate 'TN001' or sqlstate 'TN004' then   -- the run was deleted meanwhile, or is being copied
      refused := refused || jsonb_build_object('id', v_id, 'reason', sqlerrm);
    end;
  end loop;
  perform tenuto._audit_many(p_org_id, 'run', run_ids, 'delete');
end
$$;
