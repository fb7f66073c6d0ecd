-- Returns those of the open runs for which nothing is left to do, although they have not ended: the counts of their
-- tasks are complete, or they were cancelled and no request searches for their tasks any more.
create or replace function tenuto._stranded_runs(p_ids uuid[])
  returns setof tenuto.runs
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
  select r.*
  from unnest(p_ids) i(id)
  cross join lateral (select r.* from tenuto.runs r where r.id = i.id limit 1) r
  left join lateral (select true as found from tenuto.run_counts c where c.run_id = r.id limit 1) c on true
  left join lateral (
    select true as found from tenuto.cancel_requests q where q.id = r.id and q.scope = 'run' limit 1) q on true
  left join lateral (select true as found from tenuto.run_requests q where q.run_id = r.id limit 1) p on true
  where c.found is null
    and p.found is null
    and case when r.total = r.completed + r.failed + r.cancelled + r.skipped
             then r.status in ('pending', 'running') and r.handlers = 0
                  and (r.attempt = r.max_attempts or tenuto._final_run_status(r) <> 'failed')
             else r.cancel_requested_at is not null and r.pending_status is null and q.found is null end;
$$;
