-- A trait of a card: it may be ready only while it holds its limit slots.
create or replace function tenuto._limited(p_traits smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_traits & 8 > 0;
