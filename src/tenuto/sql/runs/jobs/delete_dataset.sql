-- kept -> deleted: deletes a dataset that the current version of its DAG does not publish; dispatchers delete its data.
-- Raises TN004 if the dataset is published or read by a DAG version that is current, or can become current without a
-- rollback. Also raises TN004 if an unfinished task of a job uses it. The name of a deleted dataset can be used again.
-- With p_dry_run, changes nothing. Returns how many versions of the dataset are purged.
create or replace function tenuto.delete_dataset(p_org_id uuid, p_name text, p_dry_run boolean default false)
  returns int
  language plpgsql
as $$
declare
  v_dataset record;
  v_reason text;
  v_count int;
begin
  select s.id, s.dag into v_dataset from tenuto.get_dataset(p_org_id, p_name) s;
  perform tenuto._lock_dag(p_org_id, v_dataset.dag);   -- no cutover, rollback or deploy at the same time
  perform from tenuto.datasets d
  where d.org_id = p_org_id and d.id = v_dataset.id and d.deleted_at is null
  for update;   -- waits for deploys of DAGs that read it
  if not found then
    perform tenuto._raise('TN001', format('no dataset %s', p_name));
  end if;

  select format('version %s of %s publishes it', v.version, v_dataset.dag) into v_reason
  from tenuto.dag_version_datasets s
  join tenuto.dag_versions v on v.org_id = s.org_id and v.id = s.dag_version_id
  where s.org_id = p_org_id and s.dataset_id = v_dataset.id and v.status in ('staged', 'building', 'ready', 'current')
  order by v.status = 'current' desc, v.version
  limit 1;
  if not found then
    select string_agg(distinct format('job %s of %s reads it', r.job, r.dag), '; ') into v_reason
    from (
      select r.job, r.dag
      from tenuto._outside_readers(p_org_id, null, array[v_dataset.id]) r
      limit 20) r;
  end if;
  if v_reason is null and exists (
    select from tenuto._versions_in_use(p_org_id, array(
      select v.id from tenuto.dataset_versions v where v.org_id = p_org_id and v.dataset_id = v_dataset.id))
  ) then
    v_reason := 'a task that has not ended uses it';
  end if;
  if v_reason is not null then
    perform tenuto._raise('TN004', format('the dataset %s cannot be deleted: %s', p_name, v_reason),
      'deploy documents without it, make them current and let its tasks end, or delete the DAG and its datasets');
  end if;

  v_count := (select count(*) from tenuto.dataset_versions v
              where v.org_id = p_org_id and v.dataset_id = v_dataset.id and v.purged_at is null);
  if not p_dry_run then
    perform tenuto._delete_datasets(p_org_id, array[v_dataset.id]);
    perform tenuto._audit(p_org_id, 'dataset', p_name, 'delete', jsonb_build_object('versions', v_count));
  end if;
  return v_count;
end
$$;
