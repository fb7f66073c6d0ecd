-- Returns the log lines of a task after a position: pass the attempt and line of the last line read to continue there.
create or replace function tenuto.read_logs(
  p_org_id uuid, p_task_id uuid, p_after_attempt int default 0, p_after_line int default 0, p_limit int default 1000)
  returns setof tenuto.task_logs
  language sql
  stable
as $$
  select l.*
  from tenuto.task_logs l
  where l.task_id = p_task_id and l.org_id = p_org_id and (l.attempt, l.line_no) > (p_after_attempt, p_after_line)
  order by l.attempt, l.line_no
  limit least(p_limit, 1000);
$$;
