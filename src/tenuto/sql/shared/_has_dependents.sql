-- A flag of a queued task: other tasks of the run depend on it.
create or replace function tenuto._has_dependents(p_flags smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_flags & 2 > 0;
