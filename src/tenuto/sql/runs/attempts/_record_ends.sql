-- Writes the final end of tasks that were not running, and adds the ends to the counts of their runs.
create or replace function tenuto._record_ends(p_queued tenuto.queued_task[], p_outcome text, p_error jsonb)
  returns void
  language sql
as $$
  insert into tenuto.task_attempts (task_id, org_id, ended_at, end_no, attempt, outcome, reported, error, route_id)
  select c.id, c.org_id, tenuto.now(), 0, c.attempt, p_outcome, false, p_error, c.route_id
  from unnest(p_queued) c;

  insert into tenuto.run_counts (run_id, org_id, cancelled, skipped)
  select c.run_id, c.org_id, count(*) filter (where p_outcome = 'cancelled'),
         count(*) filter (where p_outcome = 'skipped')
  from unnest(p_queued) c
  where not tenuto._is_single_task_run(c.flags)
  group by 1, 2;
$$;
