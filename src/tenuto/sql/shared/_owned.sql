-- A trait of a card: a parent task started it.
create or replace function tenuto._owned(p_traits smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_traits & 4 > 0;
