-- Returns a page of the history of a DAG, newest first, starting before the id p_before: deploys and cutovers with
-- their plans, rollbacks and deletions. Includes the history of deleted DAGs of this name.
create or replace function tenuto.list_deploys(
  p_org_id uuid, p_name text, p_before uuid default null, p_limit int default 50)
  returns table (id uuid, dag text, action text, from_version int, to_version int, plan jsonb, created_by text,
    created_at timestamptz)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select h.id, d.name, h.action, f.version, t.version, h.plan, h.created_by, h.created_at
  from tenuto.dags d
  join tenuto.deploy_history h on h.org_id = d.org_id and h.dag_id = d.id
  left join tenuto.dag_versions t on t.org_id = h.org_id and t.id = h.to_version_id
  left join tenuto.dag_versions f on f.org_id = h.org_id and f.id = h.from_version_id
  where d.org_id = p_org_id and d.name = p_name
    and (p_before is null or h.id < p_before)
  order by h.id desc
  limit p_limit;
end
$$;
