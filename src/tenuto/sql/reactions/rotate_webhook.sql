-- Gives the webhook of a job another secret: requests that are signed with the old secret are refused from now on.
create or replace function tenuto.rotate_webhook(p_org_id uuid, p_dag text, p_name text)
  returns table (org_id uuid, dag text, job text, path text, job_key uuid, rotation int)
  language plpgsql
as $$
begin
  update tenuto.webhooks w
  set rotation = w.rotation + 1
  where w.org_id = p_org_id
    and w.job_key = (select g.job_key from tenuto.get_webhook(p_org_id, p_dag, p_name) g);
  perform tenuto._audit(p_org_id, 'job', p_dag || '/' || p_name, 'rotate_webhook');
  return query select * from tenuto.get_webhook(p_org_id, p_dag, p_name);
end
$$;
