-- Returns the lineage edges that lead to columns of dataset versions ('': the whole version), from datasets that one of
-- the roles can read (null: from all). Where columns are not known, an edge starts at the whole version. A column that
-- affects all columns, such as the column of a filter, has an edge to each of them. Called once per level of the graph;
-- its query plan is made once.
create or replace function tenuto._lineage_above(
  p_org_id uuid, p_versions uuid[], p_columns text[], p_roles uuid[])
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
    select u.version_id, u.column_name, m.method, m.confidence,
           u.column_name <> '' and coalesce(m.confidence <> 'table', false) as by_column
    from unnest(p_versions, p_columns) as u(version_id, column_name)
    left join tenuto.lineage_methods m on m.org_id = p_org_id and m.dataset_version_id = u.version_id
  )
  select t.input_version_id, coalesce(c.input_column, ''), a.version_id, a.column_name, coalesce(c.kind, 'direct'),
         c.subtype,
         case when a.by_column then a.method else 'inputs' end,
         case when a.by_column and c.input_column <> '' then a.confidence else 'table' end,
         false
  from asked a
  join tenuto.table_lineage t on t.org_id = p_org_id and t.dataset_version_id = a.version_id
  left join lateral (   -- offset 0 prevents flattening, so that nothing is read for whole versions
    select c.input_column, c.kind, c.subtype
    from tenuto.column_lineage c
    where a.by_column and c.org_id = p_org_id and c.dataset_version_id = a.version_id
      and c.column_name = any (array[a.column_name, ''])
      and c.input_dataset_id is not distinct from t.input_dataset_id   -- not `=`, so that the index by version is used
    offset 0) c on true
  where (not a.by_column or c.kind is not null)
    and (p_roles is null or exists (   -- not a join: no dataset is read if p_roles is null
      select from tenuto.datasets d
      where d.org_id = p_org_id and d.id = t.input_dataset_id and d.read_roles && p_roles));
end
$$;
