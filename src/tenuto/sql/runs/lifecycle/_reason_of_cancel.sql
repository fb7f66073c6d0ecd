-- Returns the reason of the cancel from the error of a cancelled task; null if none was given. The error of a task that
-- never ran has only this reason. The error of an attempt may also have another reason (worker_lost).
create or replace function tenuto._reason_of_cancel(p_error jsonb)
  returns text
  language sql
  immutable
return coalesce(
  p_error ->> 'cancel_reason',
  case when p_error - 'reason' = '{}' then nullif(p_error ->> 'reason', 'cancelled') end);
