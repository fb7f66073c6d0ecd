-- Returns whether a request with this idempotency key is new; if it is not, returns the stored response. Called in the
-- transaction that does the work and ends with finish_request, so that work and response commit together. A second
-- request with the key waits here for that commit, at most 10 s, then gets the response. A key is valid for a day.
-- Raises TN003 if the key was used for another request. Raises TN004 if the first request is still in progress after
-- the 10 s, or stored no response.
create or replace function tenuto.begin_request(
  p_org_id uuid, p_actor text, p_key text, p_request_hash bytea, out is_new boolean, out status int, out response jsonb)
  language plpgsql
  set lock_timeout = '10s'
as $$
declare
  v_first record;
begin
  perform tenuto._check_name('an idempotency key', coalesce(p_key, ''));
  insert into tenuto.idempotency_keys as i (org_id, actor, key, request_hash, created_at)
  values (p_org_id, p_actor, p_key, p_request_hash, tenuto.now())
  on conflict (org_id, actor, key) do update
    set request_hash = excluded.request_hash, created_at = excluded.created_at, status = null, response = null
    where i.created_at <= tenuto.now() - interval '1 day';
  is_new := found;
  if is_new then
    return;
  end if;

  select i.request_hash, i.status, i.response into v_first
  from tenuto.idempotency_keys i
  where i.org_id = p_org_id and i.actor = p_actor and i.key = p_key;
  if v_first.request_hash <> p_request_hash then
    perform tenuto._raise('TN003', format('idempotency key %L was used for another request', p_key),
      'use a new key for each request');
  elsif v_first.status is null then
    perform tenuto._raise('TN004', format('the first request with idempotency key %L stored no response', p_key),
      'check what it did, then use a new key');
  end if;
  status := v_first.status;
  response := v_first.response;
exception
  when lock_not_available then
    perform tenuto._raise('TN004', format('a request with idempotency key %L is still in progress', p_key),
      'try again later');
end
$$;
