-- A trait of a card: other tasks of the run depend on it.
create or replace function tenuto._followed(p_traits smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_traits & 2 > 0;
