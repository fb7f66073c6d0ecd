-- Sets one key of a job's operator state if its version is still p_version (0: the key does not exist yet). Returns the
-- new version; any other version raises TN004, and nothing changes. Fenced by the attempt that sets it.
create or replace function tenuto.put_state(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_job_key text, p_key text, p_value jsonb,
  p_version bigint)
  returns bigint
  language plpgsql
as $$
declare
  v_org_id uuid := (tenuto._lock_attempt(p_session_id, p_token, p_task_id, p_attempt)).org_id;
  v_version bigint;
begin
  perform tenuto._check_name('the job key of operator state', coalesce(p_job_key, ''));
  perform tenuto._check_name('the key of operator state', coalesce(p_key, ''), 1024);
  perform tenuto._check_size(format('the value of %s', p_key), p_value);
  if p_value is null then
    perform tenuto._raise('TN003', format('the value of %s is missing', p_key), 'pass JSON null for no value');
  end if;
  if p_version = 0 then
    insert into tenuto.operator_state (org_id, job_key, key, value, version, updated_at)
    values (v_org_id, p_job_key, p_key, p_value, 1, tenuto.now())
    on conflict do nothing
    returning version into v_version;
  else
    update tenuto.operator_state
    set value = p_value, version = version + 1, updated_at = tenuto.now()
    where org_id = v_org_id and job_key = p_job_key and key = p_key and version = p_version
    returning version into v_version;
  end if;
  if v_version is null then
    perform tenuto._raise('TN004',
      format('operator state %s of job %s is no longer at version %s', p_key, p_job_key, p_version),
      'read it again and compute the new value from it');
  end if;
  return v_version;
end
$$;
