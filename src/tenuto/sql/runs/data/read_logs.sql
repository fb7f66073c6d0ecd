-- Returns the log lines of a task after a position. To continue, pass the attempt and number of the last line read.
-- displayed_attempt is the number of the attempt as users see it: it counts only attempts that failed or were lost.
create or replace function tenuto.read_logs(
  p_org_id uuid, p_task_id uuid, p_after_attempt int default 0, p_after_line int default 0, p_limit int default 1000)
  returns table (
    task_id uuid, attempt int, line_no int, org_id uuid, logged_at timestamptz, level text, message text, fields jsonb,
    displayed_attempt int)
  language sql
  stable
as $$
  with line as materialized (
    select l.*
    from tenuto.task_logs l
    where l.task_id = p_task_id and l.org_id = p_org_id and (l.attempt, l.line_no) > (p_after_attempt, p_after_line)
    order by l.attempt, l.line_no
    limit least(p_limit, 1000)
  ), number as materialized (
    select d.attempt, tenuto._displayed_attempt(p_task_id, d.attempt) as displayed
    from (select distinct l.attempt from line l) d
  )
  select l.task_id, l.attempt, l.line_no, l.org_id, l.logged_at, l.level, l.message, l.fields, n.displayed
  from line l
  join number n on n.attempt = l.attempt
  order by l.attempt, l.line_no;
$$;
