-- A flag of a running task: its resource group is not the default one, so it is in the index that quotas count by.
create or replace function tenuto._grouped(p_flags smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_flags & 16 > 0;
