-- Returns the webhook of a job. Raises TN001 if the job has no webhook in the current version of its DAG.
create or replace function tenuto.get_webhook(p_org_id uuid, p_dag text, p_name text)
  returns table (org_id uuid, dag text, job text, path text, job_key uuid, rotation int)
  language plpgsql
  stable
as $$
begin
  return query
  select w.org_id, p_dag, p_name, w.path, w.job_key, w.rotation
  from tenuto.webhooks w
  where w.org_id = p_org_id and w.job_key = tenuto._find_job_key(p_org_id, p_dag, p_name) and w.path is not null;
  if not found then
    perform tenuto._raise('TN001', format('job %s of %s has no webhook', p_name, p_dag),
      'write source: {kind: webhook, …} in the document, deploy it and cut over');
  end if;
end
$$;
