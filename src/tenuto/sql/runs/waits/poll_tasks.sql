-- Returns the status, output and error of the tasks in p_task_ids that have ended. A parent that gathers the results of
-- its children uses it. p_run_id: only tasks of this run.
create or replace function tenuto.poll_tasks(p_org_id uuid, p_task_ids uuid[], p_run_id uuid default null)
  returns table (id uuid, status text, output jsonb, error jsonb)
  language sql
  stable
as $$
  select asked.id, a.outcome, a.output, a.error
  from unnest(p_task_ids) as asked(id)
  join lateral (   -- read by key, regardless of the statistics
    select a.outcome, a.output, a.error, a.org_id
    from tenuto.task_attempts a
    where a.task_id = asked.id and a.end_no = 0
    limit 1) a on a.org_id = p_org_id
  where p_run_id is null or exists (select from tenuto.tasks t where t.id = asked.id and t.run_id = p_run_id);
$$;
