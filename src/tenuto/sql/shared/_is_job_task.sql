-- Returns true if the task belongs to a job of a DAG: its completion can publish data.
create or replace function tenuto._is_job_task(p_flags smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_flags & 32 > 0;
