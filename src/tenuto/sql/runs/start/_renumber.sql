-- Returns the details of those tasks of a start that remain (p_left), with their new positions.
create or replace function tenuto._renumber(p_details jsonb, p_left int[])
  returns jsonb
  language sql
  immutable
as $$
  select jsonb_agg(d || jsonb_build_object('task', array_position(p_left, (d ->> 'task')::int) - 1))
  from jsonb_array_elements(p_details) d
  where (d ->> 'task')::int = any (p_left);
$$;
