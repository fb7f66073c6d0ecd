-- Sets the paths of the webhooks of a DAG to those in the sources of one of its versions. Raises TN004 if a webhook of
-- another job has the path.
create or replace function tenuto._put_webhooks(p_org_id uuid, p_dag_id uuid, p_version_id uuid)
  returns void
  language plpgsql
as $$
declare
  v_taken text;
begin
  insert into tenuto.webhooks (org_id, job_key, created_at)
  select p_org_id, j.job_key, tenuto.now()
  from tenuto.jobs j
  where j.org_id = p_org_id and j.dag_version_id = p_version_id and j.definition #>> '{source,kind}' = 'webhook'
  on conflict (org_id, job_key) do nothing;

  update tenuto.webhooks w
  set path = j.definition #>> '{source,webhook_path}'
  from tenuto.job_controls c
  left join lateral (   -- one look-up per job: a join would read all jobs for each, without statistics of the version
    select j.definition
    from tenuto.jobs j
    where j.org_id = c.org_id and j.dag_version_id = p_version_id and j.job_key = c.job_key
    limit 1
  ) j on true
  where c.org_id = p_org_id and c.dag_id = p_dag_id
    and w.org_id = c.org_id and w.job_key = c.job_key
    and w.path is distinct from j.definition #>> '{source,webhook_path}';
exception
  when unique_violation then
    select string_agg(j.definition #>> '{source,webhook_path}', ', ' order by j.name) into v_taken
    from tenuto.jobs j
    join tenuto.webhooks w on w.org_id = j.org_id and w.path = j.definition #>> '{source,webhook_path}'
    where j.org_id = p_org_id and j.dag_version_id = p_version_id and w.job_key <> j.job_key;
    perform tenuto._raise('TN004', format('a webhook of another job has the path %s', v_taken),
      'choose another webhook_path');
end
$$;
