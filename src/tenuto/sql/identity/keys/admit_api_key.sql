-- Returns the API key's org and permissions, and whether the rate limit allows the request: does find_api_key and
-- take_tokens in one round trip. Takes p_cost tokens, one for this request and the others for later requests of the
-- key, from the bucket of the key and from that of its org; p_rates and p_bursts have the values of these two buckets,
-- in this order. Call it in a separate transaction, as take_tokens requires.
create or replace function tenuto.admit_api_key(
  p_key_id text, p_hashes bytea[], p_rates float8[], p_bursts float8[], p_cost float8 default 1)
  returns table (org_id uuid, id uuid, name text, permissions text[], allowed boolean, retry_after float8)
  language plpgsql
as $$
begin
  select k.org_id, k.id, k.name, k.permissions into org_id, id, name, permissions
  from tenuto.find_api_key(p_key_id, p_hashes) k;

  perform set_config('tenuto.org_id', org_id::text, true);
  select t.allowed, t.retry_after into allowed, retry_after
  from tenuto.take_tokens(org_id, array['key:' || id, 'org'], p_rates, p_bursts, p_cost) t;
  return next;
end
$$;
