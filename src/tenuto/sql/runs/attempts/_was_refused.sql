-- Returns true if this attempt has failed because it was reported completed with wrong publications.
create or replace function tenuto._was_refused(p_attempt tenuto.task_attempts)
  returns boolean
  language sql
  immutable
return coalesce(p_attempt.end_no = 0 and p_attempt.error ->> 'type' = 'PublicationRefused', false);
