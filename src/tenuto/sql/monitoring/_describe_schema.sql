-- Returns in short which values a JSON Schema accepts: "integer", {"by": string, "amount": number | null}. Describes
-- the value and its first 20 fields, not the fields of fields. Returns null for no schema.
create or replace function tenuto._describe_schema(p_schema jsonb)
  returns text
  language sql
  immutable
as $$
  select case
    when p_schema is null then null
    when jsonb_typeof(v.schema -> 'properties') = 'object' then format('{%s}', (
      select string_agg(
        format('%s: %s', to_json(f.name), tenuto._describe_part(v.schema -> 'properties' -> f.name, v.defs)), ', '
        order by f.is_optional, f.name)
      from (
        select n.name, not coalesce(v.schema -> 'required', '[]') ? n.name as is_optional
        from jsonb_object_keys(v.schema -> 'properties') n(name)
        order by is_optional, n.name
        limit 20) f))
    else tenuto._describe_part(v.schema, v.defs)
  end
  from (select coalesce(p_schema -> '$defs', '{}') as defs) d
  cross join lateral (
    select d.defs, coalesce(d.defs -> replace(p_schema ->> '$ref', '#/$defs/', ''), p_schema) as schema) v;
$$;
