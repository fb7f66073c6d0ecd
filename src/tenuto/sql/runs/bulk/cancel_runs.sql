-- any state that is not final -> cancelled, for the runs that match a filter, newest first, at most p_limit (fewer if
-- they have many tasks). Cancels each run in the same way as cancel_run. For large runs only the request is recorded,
-- and advance_requests cancels their tasks. refused: {id, reason} of each run that ended meanwhile. To process more
-- runs, pass next_before as p_before in the next call. next_before is null if no runs remain. p_dry_run: returns the
-- runs, and changes nothing.
create or replace function tenuto.cancel_runs(
  p_org_id uuid, p_status text default null, p_name text default null, p_type text default null,
  p_since timestamptz default null, p_reason text default null, p_before uuid default null, p_limit int default 100,
  p_dry_run boolean default false,
  out run_ids uuid[], out refused jsonb, out next_before uuid)
  language plpgsql
as $$
declare
  v_ids uuid[];
  v_small uuid[];
  v_id uuid;
begin
  perform tenuto._require_read_committed();
  perform tenuto._check_page(p_limit);
  perform tenuto._check_filter(p_status, p_name, p_type, p_since, '{pending,running,retrying}');
  perform tenuto._check_name('the reason of a cancellation', nullif(p_reason, ''), 1024);
  select f.ids, f.next_before
  into v_ids, next_before
  from tenuto._find_runs(p_org_id, coalesce(p_status, 'open'), p_name, p_type, p_since, p_before, p_limit) f;
  run_ids := '{}';
  refused := '[]';
  if p_dry_run then
    run_ids := v_ids;
    return;
  end if;
  select p.ids, p.next_before into v_ids, next_before from tenuto._one_piece(v_ids, next_before, 0) p;
  v_small := array(select r.id from tenuto.runs r where r.id = any (v_ids) and not tenuto._is_large(r));
  foreach v_id in array v_ids
  loop
    continue when v_id = any (v_small);
    begin
      perform tenuto._cancel_run(p_org_id, v_id, p_reason);
    exception when sqlstate 'TN001' or sqlstate 'TN004' then   -- the run ended meanwhile
      refused := refused || jsonb_build_object('id', v_id, 'reason', sqlerrm);
    end;
  end loop;
  perform tenuto._cancel_now(p_org_id, v_small, 'run', p_reason);
  -- The cancel may have waited for workers that were ending tasks. This new statement sees these ends.
  refused := refused || coalesce(
    (select jsonb_agg(jsonb_build_object(
       'id', i, 'reason', format('run %s is already %s', i, coalesce(s.status, 'deleted'))) order by i desc)
     from unnest(v_small) i
     left join tenuto.run_status s on s.id = i
     where coalesce(s.status, 'deleted') in ('completed', 'failed', 'deleted')),
    '[]');
  run_ids := array(
    select i
    from unnest(v_ids) i
    where not refused @> jsonb_build_array(jsonb_build_object('id', i))
    order by i desc);
  perform tenuto._audit_many(p_org_id, 'run', run_ids, 'cancel', jsonb_build_object('reason', p_reason));
end
$$;
