-- Returns from which columns the columns of a dataset version are computed. Returns null if this is not known, or if
-- there are more than 5,000 pairs.
create or replace function tenuto._column_sources(p_org_id uuid, p_version_id uuid)
  returns jsonb
  language sql
  stable
as $$
  select jsonb_agg(jsonb_build_object('column', nullif(l.column_name, ''), 'dataset', d.name,
           'field', nullif(l.input_column, ''), 'kind', l.kind, 'subtype', l.subtype)
           order by l.column_name, d.name, l.input_column, l.kind)
  from (
    select l.*
    from tenuto.column_lineage l
    where l.org_id = p_org_id and l.dataset_version_id = p_version_id
    limit 5001) l
  join tenuto.datasets d on d.org_id = p_org_id and d.id = l.input_dataset_id
  having count(*) between 1 and 5000;
$$;
