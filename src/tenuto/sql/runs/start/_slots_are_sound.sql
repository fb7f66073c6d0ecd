-- Returns true if every input slot has only known fields and at most one source: a value, an object, or another task's
-- output. Also returns true if p_slots is null.
create or replace function tenuto._slots_are_sound(p_slots jsonb)
  returns boolean
  language sql
  immutable
return case
  when p_slots is null then true
  when jsonb_typeof(p_slots) <> 'array' then false
  else coalesce((
    select bool_and(case
      when jsonb_typeof(s) <> 'object' then false
      else s - array['type', 'value', 'object', 'task', 'output'] = '{}'
           and num_nonnulls(s ->> 'value', s ->> 'object', s ->> 'task') <= 1
           and (s ->> 'output' is null or s ->> 'task' is not null)
      end)
    from jsonb_array_elements(p_slots) s), true)
end;
