-- Deletes a bundle: no worker runs its types until another bundle with these types is stored. Raises TN004 if a job of
-- any version of a DAG runs this bundle, because every version can become current again.
create or replace function tenuto.delete_bundle(p_org_id uuid, p_sha256 text)
  returns void
  language plpgsql
as $$
declare
  v_job record;
begin
  select j.name, d.name as dag, v.version into v_job
  from tenuto.jobs j
  join tenuto.dag_versions v on v.org_id = j.org_id and v.id = j.dag_version_id
  join tenuto.dags d on d.org_id = v.org_id and d.id = v.dag_id and d.deleted_at is null
  where j.org_id = p_org_id and j.definition #>> '{udf,bundle}' = p_sha256
  limit 1;
  if found then
    perform tenuto._raise('TN004',
      format('job %s in version %s of the DAG %s runs this bundle', v_job.name, v_job.version, v_job.dag),
      'every version of a DAG can become current again; delete the DAG first');
  end if;

  delete from tenuto.bundles where org_id = p_org_id and sha256 = p_sha256;
  if not found then
    perform tenuto._raise('TN001', format('no bundle %s', left(p_sha256, 64)));
  end if;
  perform tenuto._audit(p_org_id, 'bundle', p_sha256, 'delete');
end
$$;
