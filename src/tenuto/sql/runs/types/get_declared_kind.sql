-- Returns the kind that workers declared for a type; null if no worker declared it.
create or replace function tenuto.get_declared_kind(p_org_id uuid, p_type text)
  returns jsonb
  language sql
  stable
as $$
  select t.kind from tenuto.task_types t where t.org_id = p_org_id and t.type = p_type;
$$;
