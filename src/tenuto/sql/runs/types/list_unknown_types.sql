-- Returns the types among p_types that no worker has ever declared or served and no bundle contains. Starts that reject
-- unknown types use it.
create or replace function tenuto.list_unknown_types(p_org_id uuid, p_types text[])
  returns setof text
  language sql
  stable
as $$
  select distinct t.type
  from unnest(p_types) as t(type)
  where not exists (select from tenuto.task_types d where d.org_id = p_org_id and d.type = t.type)
    and not exists (select from tenuto.workers w where w.org_id = p_org_id and w.metadata -> 'types' ? t.type)
    and not exists (select from tenuto.bundle_types b where b.org_id = p_org_id and b.type = t.type)
  order by 1
$$;
