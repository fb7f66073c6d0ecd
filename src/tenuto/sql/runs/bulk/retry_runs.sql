-- Retries the runs with p_status (by default failed) that match a filter, newest first, at most p_limit (fewer if that
-- would take long). Retries each run in the same way as retry_run. Runs that were retried before are left out, even if
-- the retry is deleted, since it may have completed. refused: {id, reason} of each run that cannot be retried. To
-- process more runs, pass next_before as p_before in the next call. next_before is null if no runs remain. p_dry_run:
-- returns the runs, and changes nothing.
create or replace function tenuto.retry_runs(
  p_org_id uuid, p_status text default null, p_name text default null, p_type text default null,
  p_since timestamptz default null, p_before uuid default null, p_limit int default 100,
  p_reuse boolean default true, p_dry_run boolean default false,
  out run_ids uuid[], out new_run_ids uuid[], out refused jsonb, out next_before uuid)
  language plpgsql
as $$
declare
  v_ids uuid[];
  v_id uuid;
begin
  perform tenuto._require_read_committed();
  perform tenuto._check_page(p_limit);
  perform tenuto._check_filter(p_status, p_name, p_type, p_since, '{failed,cancelled,completed}');
  select f.ids, f.next_before
  into v_ids, next_before
  from tenuto._find_runs(p_org_id, coalesce(p_status, 'failed'), p_name, p_type, p_since, p_before, p_limit) f;
  v_ids := array(
    select r.id
    from tenuto.runs r
    where r.id = any (v_ids) and r.retried_by is null
    order by r.id desc);
  run_ids := '{}';
  new_run_ids := '{}';
  refused := '[]';
  if p_dry_run then
    run_ids := v_ids;
    return;
  end if;
  select p.ids, p.next_before into v_ids, next_before from tenuto._one_piece(v_ids, next_before, 25) p;
  foreach v_id in array v_ids
  loop
    begin
      new_run_ids := new_run_ids || tenuto._retry_run(p_org_id, v_id, p_reuse);
      run_ids := run_ids || v_id;
    exception when sqlstate 'TN001' or sqlstate 'TN004' then   -- deleted, retried or completed meanwhile
      refused := refused || jsonb_build_object('id', v_id, 'reason', sqlerrm);
    end;
  end loop;
  perform tenuto._audit_many(p_org_id, 'run', run_ids, 'retry', jsonb_build_object('retried_as',
    case when cardinality(run_ids) = 1 then to_jsonb(new_run_ids[1]) else to_jsonb(new_run_ids[1:10]) end));
end
$$;
