-- Returns the id of a version of a DAG by its number. Raises TN001 if there is none.
create or replace function tenuto._find_version(p_org_id uuid, p_dag_id uuid, p_version int)
  returns uuid
  language plpgsql
  stable
as $$
declare
  v_id uuid;
begin
  select v.id into v_id
  from tenuto.dag_versions v
  where v.org_id = p_org_id and v.dag_id = p_dag_id and v.version = p_version;
  if not found then
    perform tenuto._raise('TN001', format('the DAG has no version %s', p_version));
  end if;
  return v_id;
end
$$;
