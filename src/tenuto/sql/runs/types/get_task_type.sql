-- Returns a task type with the columns of list_task_types and the JSON Schema of its arguments. schema_problem: why the
-- server does not check inputs against the schema that was declared. Raises TN001 if no worker declared the type and no
-- bundle runs it.
create or replace function tenuto.get_task_type(p_org_id uuid, p_type text)
  returns table (
    type text, kind jsonb, limits jsonb, declared_by text, declared_at timestamptz, bundle text,
    input_schema jsonb, schema_problem text)
  language plpgsql
  stable
as $$
begin
  return query
  select p_type, coalesce(t.kind, '{}'), t.limits, t.declared_by, t.declared_at, b.sha256, t.input_schema,
         t.schema_problem
  from (select p_org_id as org_id, p_type as type) n
  left join tenuto.task_types t on t.org_id = n.org_id and t.type = n.type
  left join tenuto.bundle_types b on b.org_id = n.org_id and b.type = n.type
  where num_nonnulls(t.type, b.type) > 0;
  if not found then
    perform tenuto._raise('TN001',
      format('no worker declared the task type %s, and no bundle contains it', left(p_type, 256)),
      'start a worker that has it, or list the types to see which exist');
  end if;
end
$$;
