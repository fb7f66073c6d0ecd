-- pending -> running -> completed | failed | cancelled: adds the ends of tasks to the counts of their runs, and ends
-- the runs whose tasks have all ended. Every end of a task inserts a separate row into run_counts, so no end is missed.
-- An end that commits later is added by a later call. A run that another transaction has locked is left to a later call
-- too; other runs are processed even if that run has many rows. Does not end a run whose handlers have not started, or
-- a failed run with run attempts left: settle_runs processes these runs. p_run_ids: only these runs, for a client that
-- waits for them. p_keys: only these runs, even if they are parked.
create or replace function tenuto.fold_runs(
  p_limit int default 1000, p_run_ids uuid[] default null, p_keys text[] default null)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
  set lock_timeout = '1s'
as $$
declare
  v_runs uuid[] := '{}';
  v_seen uuid[] := tenuto._parked('fold_runs', p_keys);
  v_next uuid[];
  v_first bigint;
begin
  p_run_ids := coalesce(p_run_ids, p_keys::uuid[]);
  v_first := (tenuto._due_floors(p_run_ids::text[])).count_id;
  while cardinality(v_runs) < p_limit
  loop
    v_next := array(
      select distinct c.run_id
      from (
        select c.run_id from tenuto.run_counts c
        where c.id >= v_first and (p_run_ids is null or c.run_id = any (p_run_ids)) and c.run_id <> all (v_seen)
        order by c.id limit p_limit * 10) c
      limit p_limit - cardinality(v_runs));
    exit when cardinality(v_next) = 0;
    v_seen := v_seen || v_next;
    v_runs := v_runs || array(
      select r.id from tenuto.runs r where r.id = any (v_next) order by r.id for no key update skip locked);
  end loop;

  with gone as (
    delete from tenuto.run_counts where run_id = any (v_runs) returning *
  ), sums as materialized (
    select run_id, sum(added)::int as added, sum(completed)::int as completed, sum(failed)::int as failed,
           sum(cancelled)::int as cancelled, sum(skipped)::int as skipped,
           sum(untolerated_failures)::int as untolerated_failures, min(started_at) as started_at,
           (array_agg(failed_task_id order by id) filter (where failed_task_id is not null))[1] as failed_task_id
    from gone group by run_id
  )
  update tenuto.runs r
  set total          = r.total + s.added,
      completed      = r.completed + s.completed,
      failed         = r.failed + s.failed,
      cancelled      = r.cancelled + s.cancelled,
      skipped        = r.skipped + s.skipped,
      untolerated_failures = r.untolerated_failures + s.untolerated_failures,
      started_at     = coalesce(r.started_at, s.started_at),
      failed_task_id = coalesce(r.failed_task_id, s.failed_task_id),
      status         = case when r.status = 'pending' and s.started_at is not null then 'running' else r.status end
  from sums s
  where r.id = s.run_id;

  update tenuto.runs r
  set status = tenuto._final_run_status(r), completed_at = tenuto.now()
  where r.id = any (v_runs)
    and r.status in ('pending', 'running')
    and r.total = r.completed + r.failed + r.cancelled + r.skipped
    and r.handlers = 0
    and (r.attempt = r.max_attempts or tenuto._final_run_status(r) <> 'failed');
  return cardinality(v_runs);
end
$$;
