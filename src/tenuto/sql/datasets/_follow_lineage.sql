-- Returns the lineage edges within p_depth steps above (p_up) or below a column of a dataset version. Returns the
-- nearest edges first, at most p_limit. Follows every node once.
create or replace function tenuto._follow_lineage(
  p_org_id uuid, p_version_id uuid, p_column text, p_up boolean, p_current boolean, p_depth int, p_limit int,
  p_roles uuid[])
  returns tenuto.lineage_edge[]
  language plpgsql
  stable
as $$
declare
  v_versions uuid[] := array[p_version_id];
  v_columns text[] := array[p_column];
  v_seen text[] := array[p_version_id || '/' || p_column];
  v_found tenuto.lineage_edge[];
  v_edges tenuto.lineage_edge[] := '{}';
begin
  for v_level in 1..p_depth
  loop
    if p_up then
      v_found := array(select e from tenuto._lineage_above(p_org_id, v_versions, v_columns, p_roles) e);
    else
      v_found := array(
        select e from tenuto._lineage_below(p_org_id, v_versions, v_columns, p_current, p_roles) e);
    end if;
    v_edges := v_edges || v_found;
    exit when cardinality(v_edges) > p_limit;

    select array_agg(n.version_id), array_agg(n.column_name), v_seen || array_agg(n.id)
    into v_versions, v_columns, v_seen
    from (
      select e.version_id, e.column_name, e.version_id || '/' || e.column_name as id
      from (select distinct case when p_up then f.from_version else f.to_version end as version_id,
                            case when p_up then f.from_column else f.to_column end as column_name
            from unnest(v_found) f) e
    ) n
    where not exists (select from unnest(v_seen) s where s = n.id);
    exit when v_versions is null;
  end loop;
  return v_edges[1:p_limit];
end
$$;
