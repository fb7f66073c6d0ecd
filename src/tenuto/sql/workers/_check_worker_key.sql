-- Raises an error unless a worker key can open a session for these queues (null: all) under this worker id. If the
-- worker id has an open session, the new session replaces it only if the open session belongs to the same key, to a key
-- that this key replaced, or to a key that was revoked or has expired.
create or replace function tenuto._check_worker_key(
  p_org_id uuid, p_worker_key_id uuid, p_worker_id text, p_queues text[])
  returns void
  language plpgsql
as $$
declare
  v_queues text[];
begin
  select k.queues into v_queues from tenuto.worker_keys k where k.org_id = p_org_id and k.id = p_worker_key_id;
  if not found then
    perform tenuto._raise('TN001', format('no worker key %s', p_worker_key_id));
  elsif '*' <> all (v_queues) and (p_queues is null or not p_queues <@ v_queues) then
    perform tenuto._raise('TN009',
      format('the worker key does not allow %s', coalesce('queues ' || array_to_string(p_queues, ', '), 'all queues')),
      format('it allows %s', array_to_string(v_queues, ', ')));
  elsif exists (
    select from tenuto.sessions s
    left join tenuto.worker_keys k on k.org_id = s.org_id and k.id = s.worker_key_id
    where s.org_id = p_org_id
      and s.worker_id = p_worker_id
      and s.ended_at is null
      and s.expires_at > tenuto.now()
      and s.worker_key_id is distinct from p_worker_key_id
      and (k.id is null
           or (k.revoked_at is null
               and coalesce(k.expires_at, 'infinity') > tenuto.now()
               and k.replaced_by is distinct from p_worker_key_id))) then
    perform tenuto._raise('TN004', format('worker %s exists already and was not registered with this key', p_worker_id),
      'choose another name');
  end if;
end
$$;
