-- Returns one version of a DAG with its YAML. Without p_version, this is the current version, or the newest if no
-- version is current. Raises TN001 if there is no such version.
create or replace function tenuto.get_dag_version(p_org_id uuid, p_name text, p_version int default null)
  returns table (dag text, version int, yaml_hash text, status text, yaml text, created_by text, created_at timestamptz)
  language plpgsql
  stable
as $$
begin
  return query
  select p_name, v.version, v.yaml_hash, v.status, v.yaml, v.created_by, v.created_at
  from tenuto.dags d
  join tenuto.dag_versions v on v.org_id = d.org_id and v.dag_id = d.id
  where d.org_id = p_org_id and d.name = p_name and d.deleted_at is null
    and (p_version is null or v.version = p_version)
  order by v.status = 'current' desc, v.version desc
  limit 1;
  if not found then
    perform tenuto._raise('TN001',
      format('no DAG %s%s', left(p_name, 100), coalesce(' with a version ' || p_version, '')),
      tenuto._did_you_mean(p_name, tenuto._known_dags(p_org_id), 'list the DAGs to see which exist'));
  end if;
end
$$;
