-- Returns the declared schemas of the arguments of these types, each with its size in bytes. Types without a schema are
-- left out. Raises TN007 if the schemas have more than 1 MB together.
create or replace function tenuto.get_input_schemas(p_org_id uuid, p_types text[])
  returns table (type text, input_schema jsonb, size int)
  language plpgsql
  stable
as $$
begin
  if (select sum(octet_length(t.input_schema::text))
      from tenuto.task_types t
      where t.org_id = p_org_id and t.type = any (p_types)) > 1048576 then
    perform tenuto._raise('TN007', 'the input schemas of the types have more than 1 MB together',
      'start tasks of fewer types at once');
  end if;
  return query
  select t.type, t.input_schema, octet_length(t.input_schema::text)
  from tenuto.task_types t
  where t.org_id = p_org_id and t.type = any (p_types) and t.input_schema is not null;
end
$$;
