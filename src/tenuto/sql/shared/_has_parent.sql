-- Returns true if a parent task started the task.
create or replace function tenuto._has_parent(p_flags smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_flags & 4 > 0;
