-- Returns the log lines of all tasks of a run in the order of their times, after a position: pass time, task, attempt
-- and line of the last line read to continue there, or only a time. Workers write lines in batches, so older lines may
-- still arrive.
create or replace function tenuto.read_run_logs(
  p_org_id uuid, p_run_id uuid, p_after timestamptz default '-infinity',
  p_after_task uuid default '00000000-0000-0000-0000-000000000000', p_after_attempt int default 0,
  p_after_line int default 0, p_limit int default 1000)
  returns table (
    task_id uuid, task text, attempt int, line_no int, logged_at timestamptz, level text, message text, fields jsonb)
  language sql
  stable
as $$
  select l.task_id, coalesce(t.name, o.type), l.attempt, l.line_no, l.logged_at, l.level, l.message, l.fields
  from tenuto._run_tasks(p_run_id) t
  join tenuto.routes o on o.id = t.route_id
  join tenuto.task_logs l on l.task_id = t.id
  where t.org_id = p_org_id
    and l.org_id = p_org_id
    and l.logged_at >= p_after
    and (l.logged_at, l.task_id, l.attempt, l.line_no) > (p_after, p_after_task, p_after_attempt, p_after_line)
  order by l.logged_at, l.task_id, l.attempt, l.line_no
  limit least(p_limit, 1000);
$$;
