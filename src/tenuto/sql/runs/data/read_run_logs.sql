-- Returns the log lines of all tasks of a run in the order of their times, after a position. To continue, pass the
-- time, task, attempt and number of the last line read, or only a time. Workers write lines in batches, so older lines
-- may still arrive. displayed_attempt is the number of the attempt as users see it: it counts only attempts that failed
-- or were lost.
create or replace function tenuto.read_run_logs(
  p_org_id uuid, p_run_id uuid, p_after timestamptz default '-infinity',
  p_after_task uuid default '00000000-0000-0000-0000-000000000000', p_after_attempt int default 0,
  p_after_line int default 0, p_limit int default 1000)
  returns table (
    task_id uuid, task text, attempt int, line_no int, logged_at timestamptz, level text, message text, fields jsonb,
    displayed_attempt int)
  language sql
  stable
as $$
  with line as materialized (
    select coalesce(t.name, o.type) as task, l.*
    from tenuto._run_tasks(p_run_id) t
    join tenuto.routes o on o.id = t.route_id
    join tenuto.task_logs l on l.task_id = t.id
    where t.org_id = p_org_id
      and l.org_id = p_org_id
      and l.logged_at >= p_after
      and (l.logged_at, l.task_id, l.attempt, l.line_no) > (p_after, p_after_task, p_after_attempt, p_after_line)
    order by l.logged_at, l.task_id, l.attempt, l.line_no
    limit least(p_limit, 1000)
  ), number as materialized (
    select d.task_id, d.attempt, tenuto._displayed_attempt(d.task_id, d.attempt) as displayed
    from (select distinct l.task_id, l.attempt from line l) d
  )
  select l.task_id, l.task, l.attempt, l.line_no, l.logged_at, l.level, l.message, l.fields, n.displayed
  from line l
  join number n on n.task_id = l.task_id and n.attempt = l.attempt
  order by l.logged_at, l.task_id, l.attempt, l.line_no;
$$;
