-- Returns the declared schemas of the arguments of these types. Types without a schema are left out.
create or replace function tenuto.get_input_schemas(p_org_id uuid, p_types text[])
  returns table (type text, input_schema jsonb)
  language sql
  stable
as $$
  select t.type, t.input_schema
  from tenuto.task_types t
  where t.org_id = p_org_id and t.type = any (p_types) and t.input_schema is not null;
$$;
