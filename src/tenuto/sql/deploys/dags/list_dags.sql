-- Returns a page of DAGs in the order of their names, starting after the name p_after. Each has its current and its
-- newest version.
create or replace function tenuto.list_dags(p_org_id uuid, p_after text default null, p_limit int default 50)
  returns table (name text, version int, yaml_hash text, newest_version int, newest_status text, updated_at timestamptz)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select d.name, v.version, v.yaml_hash, n.version, n.status, coalesce(c.updated_at, n.created_at)
  from tenuto.dags d
  left join tenuto.dag_current_versions c on c.org_id = d.org_id and c.dag_id = d.id
  left join tenuto.dag_versions v on v.org_id = c.org_id and v.id = c.dag_version_id
  cross join lateral (
    select m.version, m.status, m.created_at
    from tenuto.dag_versions m
    where m.org_id = d.org_id and m.dag_id = d.id
    order by m.version desc
    limit 1) n
  where d.org_id = p_org_id and d.deleted_at is null
    and (p_after is null or d.name > p_after)
  order by d.name
  limit p_limit;
end
$$;
