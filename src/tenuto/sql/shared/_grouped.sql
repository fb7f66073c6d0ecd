-- A trait of a running task: its resource group is not the default one, so it is in the index that quotas count by.
create or replace function tenuto._grouped(p_traits smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_traits & 16 > 0;
