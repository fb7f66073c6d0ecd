-- Returns the types whose declared schema was refused, with the reason and the worker that declared it, in the order of
-- their names. The server does not check the inputs of these types.
create or replace function tenuto.list_refused_schemas(p_org_id uuid, p_limit int default 20)
  returns table (type text, schema_problem text, declared_by text)
  language sql
  stable
as $$
  select t.type, t.schema_problem, t.declared_by
  from tenuto.task_types t
  where t.org_id = p_org_id and t.schema_problem is not null
  order by t.type
  limit p_limit;
$$;
