-- Adds p_count tasks to the total of a running task's run. A single-task run becomes an ordinary run, which has counts.
create or replace function tenuto._add_run_total(p_parent tenuto.running_tasks, p_count int)
  returns void
  language plpgsql
as $$
begin
  if not tenuto._is_single_task_run(p_parent.flags) then
    insert into tenuto.run_counts (run_id, org_id, added) values (p_parent.run_id, p_parent.org_id, p_count);
    return;
  end if;
  update tenuto.running_tasks set flags = flags - tenuto._flags(true, false, false, false) where id = p_parent.id;
  update tenuto.runs
  set single_task = false, status = 'running', started_at = p_parent.started_at,
      total = 1 + p_count, completed = 0, failed = 0, cancelled = 0, skipped = 0, untolerated_failures = 0
  where id = p_parent.run_id and single_task;
end
$$;
