-- -> staged: adds a version of a DAG. The caller has locked the DAG, and no version with this hash exists. In the same
-- transaction, the caller decides whether the version is ready or has to be computed.
create or replace function tenuto._add_version(
  p_org_id uuid, p_dag_id uuid, p_yaml text, p_yaml_hash text, p_hash_version int, p_actor text)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid := tenuto._uuid7();
begin
  insert into tenuto.dag_versions
    (id, org_id, dag_id, version, yaml, yaml_hash, hash_version, status, created_by, created_at)
  values (v_id, p_org_id, p_dag_id,
    1 + coalesce((select max(v.version) from tenuto.dag_versions v
                  where v.org_id = p_org_id and v.dag_id = p_dag_id), 0),
    p_yaml, p_yaml_hash, p_hash_version, 'staged', p_actor, tenuto.now());
  return v_id;
end
$$;
