-- A flag of a queued task: a parent task started it.
create or replace function tenuto._has_parent(p_flags smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_flags & 4 > 0;
