-- Returns a number for a value among the inputs or outputs of a task: 60 bits of a hash. It is computed, because values
-- have no rows of their own in Tenuto.
create or replace function tenuto_compat_spider._value_id(p_task_id uuid, p_direction text, p_position int)
  returns bigint
  language sql
  immutable parallel safe
return ('x' || left(md5(p_task_id || ' ' || p_direction || ' ' || p_position), 15))::bit(60)::bigint;
