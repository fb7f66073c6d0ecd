-- Whether the reaper ended this attempt because its worker was gone.
create or replace function tenuto._was_lost(p_end tenuto.task_attempts)
  returns boolean
  language sql
  immutable
return not p_end.reported and coalesce(p_end.error ->> 'reason' = 'worker_lost', false);
