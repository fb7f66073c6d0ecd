-- Sets one key of the operator state of the job or type p_job_key, if the version of the key is still p_version (0: the
-- key does not exist yet). Returns the new version. Raises TN004 and changes nothing if the key has another version.
-- Raises TN005 if the session does not hold the attempt that sets the key. If the same attempt repeats a call, because
-- it did not get the result, the call returns the same version again.
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
    insert into tenuto.operator_state (org_id, job_key, key, value, version, updated_at, task_id, attempt)
    values (v_org_id, p_job_key, p_key, p_value, 1, tenuto.now(), p_task_id, p_attempt)
    on conflict do nothing
    returning version into v_version;
  else
    update tenuto.operator_state
    set value = p_value, version = version + 1, updated_at = tenuto.now(), task_id = p_task_id, attempt = p_attempt
    where org_id = v_org_id and job_key = p_job_key and key = p_key and version = p_version
    returning version into v_version;
  end if;
  if v_version is null then
    select s.version into v_version
    from tenuto.operator_state s
    where s.org_id = v_org_id and s.job_key = p_job_key and s.key = p_key and s.version = p_version + 1
      and s.value = p_value and s.task_id = p_task_id and s.attempt = p_attempt;
  end if;
  if v_version is null then
    perform tenuto._raise('TN004',
      format('operator state %s of job %s is no longer at version %s', p_key, p_job_key, p_version),
      'read it again and compute the new value from it');
  end if;
  return v_version;
end
$$;
