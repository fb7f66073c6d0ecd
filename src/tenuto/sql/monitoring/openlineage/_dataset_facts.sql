-- Returns what is known about a version of a dataset: its columns, where it is stored, and its lineage.
create or replace function tenuto._dataset_facts(p_org_id uuid, p_version_id uuid)
  returns jsonb
  language sql
  stable
as $$
  select jsonb_build_object(
    'version_id', v.id, 'location', v.storage_location, 'storage', v.storage,
    'sources', tenuto._column_sources(p_org_id, v.id), 'columns', p.columns, 'version', p.version)
  from tenuto.dataset_versions v
  left join lateral (
    select j.definition #> array['outputs', s.output::text, 'columns'] as columns, n.version
    from tenuto.dag_version_datasets s
    join tenuto.jobs j on j.org_id = s.org_id and j.dag_version_id = s.dag_version_id and j.job_key = s.job_key
    join tenuto.dag_versions n on n.org_id = s.org_id and n.id = s.dag_version_id
    where s.org_id = p_org_id and s.dataset_version_id = v.id
    order by s.dag_version_id desc
    limit 1) p on true
  where v.org_id = p_org_id and v.id = p_version_id;
$$;
