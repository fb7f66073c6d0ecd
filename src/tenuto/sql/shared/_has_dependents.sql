-- Returns true if other tasks of the run depend on the task.
create or replace function tenuto._has_dependents(p_flags smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_flags & 2 > 0;
