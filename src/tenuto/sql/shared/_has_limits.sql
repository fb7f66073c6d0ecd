-- Returns true if the task has limits: it can be ready only while it holds its limit slots.
create or replace function tenuto._has_limits(p_flags smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_flags & 8 > 0;
