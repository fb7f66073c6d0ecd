-- Returns the number of an attempt as users count it, from the attempt number in its fence: one more than the number of
-- attempts before it that failed or were lost.
create or replace function tenuto._displayed_attempt(p_task_id uuid, p_attempt int)
  returns int
  language sql
  stable
as $$
  select 1 + count(*)::int
  from tenuto.task_attempts a
  where a.task_id = p_task_id and a.end_no > 0 and a.end_no < p_attempt and a.outcome in ('retrying', 'lost');
$$;
