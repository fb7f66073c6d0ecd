-- Returns the lineage edges that lead from columns of dataset versions ('': the whole version), to datasets that one of
-- the roles can read (null: to all). With p_current, the edges lead to current versions that were computed from any
-- version of the same datasets. Such an edge is stale if the version to which it leads was computed only from other
-- versions than the given one. Without p_current, the edges lead to all versions that were computed from the given
-- versions themselves. Called once per level of the graph; its query plan is made once.
create or replace function tenuto._lineage_below(
  p_org_id uuid, p_versions uuid[], p_columns text[], p_current boolean, p_roles uuid[])
  returns setof tenuto.lineage_edge
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
begin
  return query
  with asked as (
    select u.version_id, u.column_name, v.dataset_id
    from unnest(p_versions, p_columns) as u(version_id, column_name)
    join tenuto.dataset_versions v on v.org_id = p_org_id and v.id = u.version_id
  ), readers as (
    select a.version_id, a.column_name, a.dataset_id, t.dataset_version_id as reader,
           bool_and(t.input_version_id <> a.version_id) as stale
    from asked a
    join tenuto.table_lineage t on t.org_id = p_org_id and t.input_dataset_id = a.dataset_id
    join tenuto.dataset_versions v on v.org_id = p_org_id and v.id = t.dataset_version_id
    join tenuto.datasets d on d.org_id = p_org_id and d.id = v.dataset_id
    where case when p_current then d.current_version_id = v.id else t.input_version_id = a.version_id end
      and (p_roles is null or d.read_roles && p_roles)
    group by 1, 2, 3, 4
  ), known as (
    select r.*, m.method, m.confidence, r.column_name <> '' and coalesce(m.confidence <> 'table', false) as by_column
    from readers r
    left join tenuto.lineage_methods m on m.org_id = p_org_id and m.dataset_version_id = r.reader
  )
  select k.version_id, k.column_name, k.reader, coalesce(c.column_name, ''), coalesce(c.kind, 'direct'), c.subtype,
         case when k.by_column then k.method else 'inputs' end,
         case when k.by_column and c.input_column <> '' then k.confidence else 'table' end,
         k.stale
  from known k
  left join lateral (   -- offset 0 prevents flattening, so that nothing is read for whole versions
    select c.column_name, c.input_column, c.kind, c.subtype
    from tenuto.column_lineage c
    where k.by_column and c.org_id = p_org_id and c.dataset_version_id = k.reader
      and c.input_dataset_id is not distinct from k.dataset_id   -- not `=`, so that the index by version is used
      and c.input_column in (k.column_name, '')
    offset 0) c on true
  where not k.by_column or c.kind is not null;
end
$$;
