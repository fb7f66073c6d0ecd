-- Returns true for the error of a task that was cancelled because the version of its DAG was rolled back. The text is
-- in `reason` if the task was queued, and in `cancel_reason` if it was running.
create or replace function tenuto._is_rolled_back(p_error jsonb)
  returns boolean
  language sql
  immutable parallel safe
return coalesce(
  'the version of the DAG was rolled back' in (p_error ->> 'reason', p_error ->> 'cancel_reason'), false);
