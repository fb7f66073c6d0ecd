-- -> queued: starts a task of the webhook's job with the request as its input. The caller has checked the signature
-- against the secret with the rotation number p_rotation. For a request that is sent again, with the same p_key,
-- returns the first task, with created = false. Raises TN001 if the path has no webhook or its secret has been rotated
-- since, TN004 if the job is paused or held, or if no current version has it.
create or replace function tenuto.receive_webhook(
  p_org_id uuid, p_path text, p_rotation int, p_key text, p_body jsonb)
  returns table (task_id uuid, created boolean)
  language plpgsql
as $$
declare
  v_job_key uuid;
  v_started tenuto.started[];
begin
  perform tenuto._require_read_committed();
  select w.job_key into v_job_key
  from tenuto.webhooks w
  where w.org_id = p_org_id and w.path = p_path and w.rotation = p_rotation;
  if not found then
    perform tenuto._raise('TN001', 'there is no such webhook');
  end if;
  perform tenuto._check_name('the key of the request', coalesce(p_key, ''));
  v_started := tenuto._start_source(p_org_id, v_job_key, array[tenuto.now()],
    array[jsonb_build_object('kind', 'webhook', 'received_at', tenuto.now(), 'body', p_body)],
    '@webhook', array[p_key]);
  if v_started is null then
    perform tenuto._raise('TN004', 'the job of the webhook is paused or held', 'send the request again later');
  end if;
  return query select s.run_id, s.created from unnest(v_started) s;
end
$$;
