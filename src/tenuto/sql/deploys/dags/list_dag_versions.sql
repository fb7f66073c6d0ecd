-- Returns a page of versions of a DAG, newest first, starting before the number p_before. For a version that is
-- building, ready or failed, also returns how many of the planned tasks have completed, and the first error.
create or replace function tenuto.list_dag_versions(
  p_org_id uuid, p_name text, p_before int default null, p_limit int default 50)
  returns table (dag text, version int, yaml_hash text, status text, jobs int, created_by text, created_at timestamptz,
    completed bigint, planned bigint, error text)
  language plpgsql
  stable
as $$
declare
  v_dag_id uuid;
begin
  perform tenuto._check_page(p_limit);
  select d.id into v_dag_id
  from tenuto.dags d
  where d.org_id = p_org_id and d.name = p_name and d.deleted_at is null;
  if not found then
    perform tenuto._raise('TN001', format('no DAG %s', left(p_name, 100)),
      tenuto._did_you_mean(p_name, tenuto._known_dags(p_org_id), 'list the DAGs to see which exist'));
  end if;
  return query
  select p_name, v.version, v.yaml_hash, v.status,
         (select count(*)::int from tenuto.jobs j where j.org_id = v.org_id and j.dag_version_id = v.id),
         v.created_by, v.created_at, b.completed, greatest(b.planned, b.completed), b.error
  from tenuto.dag_versions v
  left join tenuto.builds b on b.dag_version_id = v.id and v.status in ('building', 'ready', 'failed')
  where v.org_id = p_org_id and v.dag_id = v_dag_id
    and (p_before is null or v.version < p_before)
  order by v.version desc
  limit p_limit;
end
$$;
