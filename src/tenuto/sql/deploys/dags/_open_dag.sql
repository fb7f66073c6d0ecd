-- Returns the id of a DAG, which is added if it is new, and holds its row until the transaction ends.
create or replace function tenuto._open_dag(p_org_id uuid, p_name text)
  returns uuid
  language plpgsql
as $$
begin
  insert into tenuto.dags (id, org_id, name, created_at)
  values (tenuto._uuid7(), p_org_id, p_name, tenuto.now())
  on conflict (org_id, name) do nothing;
  return tenuto._lock_dag(p_org_id, p_name);
end
$$;
