-- Returns a number from a worker's metadata; null if the value is not a number, because workers may write anything
-- there.
create or replace function tenuto._metric(p_metadata jsonb, p_name text)
  returns float8
  language sql
  immutable parallel safe
return case when jsonb_typeof(p_metadata -> p_name) = 'number'
             and (p_metadata ->> p_name)::numeric between -1e15 and 1e15
            then (p_metadata ->> p_name)::numeric::float8 end;
