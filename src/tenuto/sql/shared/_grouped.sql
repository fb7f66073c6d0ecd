-- Returns true if a running task's resource group is not the default group. Such a task is in the index that is used to
-- count the running tasks of groups with a quota.
create or replace function tenuto._grouped(p_flags smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_flags & 16 > 0;
