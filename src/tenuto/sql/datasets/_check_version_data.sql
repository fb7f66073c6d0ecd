-- Raises TN004 if a DAG version can neither be computed nor become current any more, because some of its data was
-- purged or a dataset that it reads was deleted.
create or replace function tenuto._check_version_data(p_org_id uuid, p_dag_id uuid, p_version_id uuid)
  returns void
  language plpgsql
as $$
declare
  v_name text;
begin
  select s.name into v_name
  from tenuto.dag_version_datasets s
  join tenuto.dataset_versions v on v.org_id = s.org_id and v.id = s.dataset_version_id and v.purged_at is not null
  where s.org_id = p_org_id and s.dag_version_id = p_version_id
  limit 1;
  if found then
    perform tenuto._raise('TN004', format('the data of %s in this version was purged', v_name),
      'change the document, such as a description, and deploy it: its datasets are computed again');
  end if;

  -- Locks the datasets that this version reads, so that they are not deleted before the transaction ends.
  perform from tenuto.datasets d
  where d.org_id = p_org_id and d.dag_id <> p_dag_id
    and d.id in (
      select i.dataset_id from tenuto.job_inputs i where i.org_id = p_org_id and i.dag_version_id = p_version_id)
  order by d.id
  for key share;
  select d.name into v_name
  from tenuto.job_inputs i
  join tenuto.datasets d on d.org_id = i.org_id and d.id = i.dataset_id and d.deleted_at is not null
  where i.org_id = p_org_id and i.dag_version_id = p_version_id
  limit 1;
  if found then
    perform tenuto._raise('TN004', format('this version reads the dataset %s, which was deleted', v_name),
      'deploy a document that does not read it; if a dataset with this name exists again, change the document, such as '
      'a description, and deploy it: the new version reads the new dataset');
  end if;
end
$$;
