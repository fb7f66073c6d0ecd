-- Returns the number of an attempt as users count it: attempts that failed or were lost, plus the attempt in progress.
-- With p_failed, the last attempt has just failed, and none is in progress. Claims after a wait, a snooze or an
-- interruption do not count: a task that waited twice and never failed (p_claims 3, p_charged 0) is on attempt 1.
-- Returns 0 if the task was never claimed.
create or replace function tenuto._attempt_number(p_claims int, p_charged int, p_failed boolean)
  returns int
  language sql
  immutable
as $$
  select case when p_failed then p_charged else least(p_claims, p_charged + 1) end;
$$;
