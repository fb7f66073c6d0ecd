-- Returns true if a running task's resource group is not the default one: the task is then in the index with which
-- quotas are counted.
create or replace function tenuto._grouped(p_flags smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_flags & 16 > 0;
