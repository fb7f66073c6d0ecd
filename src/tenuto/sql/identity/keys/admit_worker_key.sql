-- Returns the worker key's org and queues, and whether the rate limit allows the request: does find_worker_key and
-- take_tokens in one round trip. Takes a token only from the bucket of the key, because users' requests must not keep a
-- worker from renewing its lease. Call it in a separate transaction, as take_tokens requires.
create or replace function tenuto.admit_worker_key(p_key_id text, p_hashes bytea[], p_rate float8, p_burst float8)
  returns table (org_id uuid, id uuid, name text, queues text[], allowed boolean, retry_after float8)
  language plpgsql
as $$
begin
  select k.org_id, k.id, k.name, k.queues into org_id, id, name, queues
  from tenuto.find_worker_key(p_key_id, p_hashes) k;

  perform set_config('tenuto.org_id', org_id::text, true);
  select t.allowed, t.retry_after into allowed, retry_after
  from tenuto.take_tokens(org_id, array['key:' || id], array[p_rate], array[p_burst]) t;
  return next;
end
$$;
