-- Returns the allowed values or the type of a part of a JSON Schema: "yes" | "no", number | null. p_defs: the
-- definitions of the schema. A definition is followed once, so that the work is bounded.
create or replace function tenuto._describe_part(p_part jsonb, p_defs jsonb)
  returns text
  language sql
  immutable
as $$
  select coalesce(left(string_agg(
    case when jsonb_typeof(o.schema -> 'enum') = 'array'
         then (select string_agg(e::text, ' | ') from jsonb_array_elements(o.schema -> 'enum') e)
         else coalesce((o.schema -> 'const')::text, o.schema ->> 'type', 'any value') end, ' | ' order by o.no), 200),
    'any value')
  from (
    select coalesce(p_defs -> replace(a.value ->> '$ref', '#/$defs/', ''), a.value) as schema, a.no
    from jsonb_array_elements(
      case when jsonb_typeof(p_part -> 'anyOf') = 'array' then p_part -> 'anyOf' else jsonb_build_array(p_part) end)
      with ordinality a(value, no)
    where a.no <= 20) o;
$$;
