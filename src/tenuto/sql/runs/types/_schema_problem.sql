-- Returns why the server cannot check inputs against the declared schema of a type's arguments, or null if it can.
-- A schema is accepted if the cost of a check is bounded by the size of the input: the schema has at most 1000 parts,
-- and no definition leads to itself without a step into the value. Then each part is applied to each value at most once
-- (sdk/values/input_validator.py). Reads only the keywords that the server checks; it never matches patterns.
create or replace function tenuto._schema_problem(p_schema jsonb)
  returns text
  language plpgsql
  immutable
  strict
  set jit = off
as $$
declare
  v_depth int;
  v_parts int;
  v_reference text;
  v_endless text;
begin
  if jsonb_typeof(p_schema) <> 'object' then
    return 'it is not a JSON object; write {"type": "object", "properties": {…}}';
  elsif octet_length(p_schema::text) > 20000 then   -- 16 kB as the SDK writes it; jsonb adds spaces
    return 'it has more than 16 kB; describe less';
  end if;
  with recursive definitions as (
    select k.name || d.key as name, d.value as schema
    from (values ('$defs', '#/$defs/'), ('definitions', '#/definitions/')) k(keyword, name)
    cross join jsonb_each(
      case jsonb_typeof(p_schema -> k.keyword) when 'object' then p_schema -> k.keyword else '{}' end) d
  ), parts as (
    -- place: the definition that contains the part, '#' outside of definitions. level: how many steps lead from there
    -- to the part, all of them within one value; null if a step leads into the value.
    (select '#' as place, p_schema as schema, 0 as level, 1 as depth
     union all
     select d.name, d.schema, 0, 1 from definitions d)
    union all
    select p.place, i.schema, case when i.same_value then p.level + 1 end, p.depth + 1
    from parts p
    cross join lateral (
      select l.value as schema, k.same_value
      from (values ('allOf', true), ('anyOf', true), ('oneOf', true), ('prefixItems', false)) k(keyword, same_value)
      cross join lateral jsonb_array_elements(
        case jsonb_typeof(p.schema -> k.keyword) when 'array' then p.schema -> k.keyword else '[]' end) l
      union all
      select m.value, false
      from jsonb_each(case jsonb_typeof(p.schema -> 'properties')
                        when 'object' then p.schema -> 'properties' else '{}' end) m
      union all
      select p.schema -> k.keyword, false
      from (values ('items'), ('additionalProperties'), ('x-rest')) k(keyword)
    ) i
    where jsonb_typeof(i.schema) in ('object', 'boolean') and p.depth <= 32
  ), "references" as (
    select p.place, p.level, p.schema ->> '$ref' as target
    from parts p
    where jsonb_typeof(p.schema -> '$ref') = 'string'
  ), reached as (   -- definitions that are applied to one value, and after how many steps
    select d.name as origin, d.name, 0 as level from definitions d
    union
    select r.origin, e.target, r.level + e.level + 1
    from reached r
    join "references" e on e.place = r.name and e.level is not null
    where r.level <= 10
  )
  select (select max(p.depth) from parts p),
         (select count(*) from parts p),
         (select min(e.target) from "references" e where e.target not in (select d.name from definitions d)),
         (select min(r.origin) from reached r where r.level > 10)
  into v_depth, v_parts, v_reference, v_endless;
  return case
    when v_depth > 32 then 'it is nested more than 32 levels deep'
    when v_parts > 1000 then format('it has %s parts, more than 1000; describe less', v_parts)
    when v_reference is not null then
      format('$ref %s is none of its definitions; write #/$defs/NAME', left(to_json(v_reference)::text, 200))
    when v_endless is not null then
      format('%s leads to itself, or through more than 10 steps, without a step into the value', left(v_endless, 200))
  end;
end
$$;
