-- Returns a page of the task types that workers declared or bundles run, ordered by name, starting after the name
-- p_after. kind and limits: the options of the type's tasks, as the worker in declared_by declared them. bundle: the
-- hash of the bundle that runs the type.
create or replace function tenuto.list_task_types(p_org_id uuid, p_after text default null, p_limit int default 50)
  returns table (
    type text, kind jsonb, limits jsonb, declared_by text, declared_at timestamptz, bundle text)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select coalesce(t.type, b.type), coalesce(t.kind, '{}'), t.limits, t.declared_by, t.declared_at, b.sha256
  from (
    select d.*
    from tenuto.task_types d
    where d.org_id = p_org_id and (p_after is null or d.type > p_after)
    order by d.type
    limit p_limit
  ) t
  full join (
    select d.type, d.sha256
    from tenuto.bundle_types d
    where d.org_id = p_org_id and (p_after is null or d.type > p_after)
    order by d.type
    limit p_limit
  ) b on b.type = t.type
  order by 1
  limit p_limit;
end
$$;
