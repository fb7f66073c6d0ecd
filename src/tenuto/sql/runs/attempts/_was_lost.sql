-- Returns true if this attempt was lost: expire_attempts ended it because its worker was gone, or lose_tasks reported
-- it.
create or replace function tenuto._was_lost(p_end tenuto.task_attempts)
  returns boolean
  language sql
  immutable
return coalesce(p_end.error ->> 'reason' = case when p_end.reported then 'attempt_lost' else 'worker_lost' end, false);
