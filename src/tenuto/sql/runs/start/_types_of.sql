-- Returns the types of a start, for the audit log: at most 20, separated by commas.
create or replace function tenuto._types_of(p_kinds jsonb)
  returns text
  language sql
  immutable parallel safe
as $$
  select string_agg(t.type, ', ' order by t.type)
  from (select distinct k ->> 'type' as type from jsonb_array_elements(p_kinds) k order by 1 limit 20) t;
$$;
