-- Returns the webhook of a path: the key of its job and the rotation, from which its secret is derived. Raises TN001 if
-- there is none.
create or replace function tenuto.find_webhook(p_org_id uuid, p_path text)
  returns table (job_key uuid, rotation int)
  language plpgsql
  stable
as $$
begin
  return query
  select w.job_key, w.rotation from tenuto.webhooks w where w.org_id = p_org_id and w.path = p_path;
  if not found then
    perform tenuto._raise('TN001', 'there is no such webhook');
  end if;
end
$$;
