-- A trait of a card: the run is this task.
create or replace function tenuto._alone(p_traits smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_traits & 1 > 0;
