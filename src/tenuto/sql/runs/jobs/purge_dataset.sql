-- Purges old versions of a dataset and returns them. Keeps p_keep versions: the current one and the newest of the
-- others. The default is keep_versions of the dataset's output in the current DAG version. Also keeps versions of DAG
-- versions that are current or can become current without a rollback, and versions that an unfinished task of a job
-- reads or writes. With p_dry_run, changes nothing. Dispatchers delete the data.
create or replace function tenuto.purge_dataset(
  p_org_id uuid, p_name text, p_keep int default null, p_dry_run boolean default false)
  returns table (id uuid, storage_location text, dag_versions int[], created_at timestamptz)
  language plpgsql
as $$
declare
  v_dataset record;
  v_ids uuid[];
begin
  perform tenuto.get_dataset(p_org_id, p_name);
  select d.id, g.name as dag,
         coalesce(p_keep,
           (j.definition #>> array['outputs', d.output::text, 'retention', 'keep_versions'])::int) as keep
  into v_dataset
  from tenuto.datasets d
  join tenuto.dags g on g.org_id = d.org_id and g.id = d.dag_id
  left join tenuto.dag_current_versions c on c.org_id = d.org_id and c.dag_id = d.dag_id
  left join tenuto.jobs j on j.org_id = d.org_id and j.dag_version_id = c.dag_version_id and j.job_key = d.job_key
  where d.org_id = p_org_id and d.name = p_name and d.deleted_at is null;
  if v_dataset.keep is null then
    perform tenuto._raise('TN003', format('the number of versions of %s to keep is not set', p_name),
      'pass the number, or write retention: {keep_versions: 3} for its output');
  end if;
  if v_dataset.keep not between 0 and 1000 then
    perform tenuto._raise('TN003', format('%s versions cannot be kept', v_dataset.keep), 'write 0 to 1000');
  end if;

  if not p_dry_run then
    perform tenuto._lock_dag(p_org_id, v_dataset.dag);   -- no cutover, rollback or deploy at the same time
  end if;
  v_ids := array(select tenuto._purgeable_versions(p_org_id, v_dataset.id, v_dataset.keep));
  v_ids := array(select unnest(v_ids) except select tenuto._versions_in_use(p_org_id, v_ids));
  if not p_dry_run and v_ids <> '{}' then
    perform tenuto._purge_versions(p_org_id, v_ids);
    delete from tenuto.operator_state s
    using tenuto.dag_version_datasets m
    where m.org_id = p_org_id and m.dataset_version_id = any (v_ids)
      and s.org_id = p_org_id and s.job_key = m.job_key || '/' || m.dataset_version_id;
    perform tenuto._audit(p_org_id, 'dataset', p_name, 'purge',
      jsonb_build_object('versions', cardinality(v_ids), 'first_ids', v_ids[1:10]));
  end if;

  return query
  select v.id, v.storage_location,
         array(select g.version
               from tenuto.dag_version_datasets m
               join tenuto.dag_versions g on g.org_id = m.org_id and g.id = m.dag_version_id
               where m.org_id = v.org_id and m.dataset_version_id = v.id
               order by g.version),
         v.created_at
  from tenuto.dataset_versions v
  where v.org_id = p_org_id and v.id = any (v_ids)
  order by v.id desc;
end
$$;
