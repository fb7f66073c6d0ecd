-- Deletes stored responses older than a day, rate limit buckets that are full, and expired logins and login links; at
-- most p_limit of each per call. With p_keys, deletes only the rows with these keys (request:org:actor:key,
-- bucket:org:name, login:md5, token:md5), even if they are parked.
create or replace function tenuto.prune_identity(p_limit int default 1000, p_keys text[] default null)
  returns table (requests bigint, buckets bigint, logins bigint, tokens bigint)
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_parked text[] := tenuto._parked('prune_identity', p_keys);
begin
  with old as materialized (
    select i.org_id, i.actor, i.key
    from tenuto.idempotency_keys i
    where i.created_at <= tenuto.now() - interval '1 day'
      and (p_keys is null or 'request:' || i.org_id || ':' || i.actor || ':' || i.key = any (p_keys))
      and 'request:' || i.org_id || ':' || i.actor || ':' || i.key <> all (v_parked)
    order by i.created_at
    limit p_limit
    for update skip locked
  )
  delete from tenuto.idempotency_keys i using old where (i.org_id, i.actor, i.key) = (old.org_id, old.actor, old.key);
  get diagnostics requests = row_count;

  with old as materialized (
    select b.org_id, b.bucket
    from tenuto.rate_buckets b
    where b.full_at <= tenuto.now()
      and (p_keys is null or 'bucket:' || b.org_id || ':' || b.bucket = any (p_keys))
      and 'bucket:' || b.org_id || ':' || b.bucket <> all (v_parked)
    limit p_limit
    for update skip locked
  )
  delete from tenuto.rate_buckets b using old where b.org_id = old.org_id and b.bucket = old.bucket;
  get diagnostics buckets = row_count;

  with old as materialized (
    select l.hash
    from tenuto.login_sessions l
    where l.expires_at <= tenuto.now()
      and (p_keys is null or 'login:' || md5(l.hash) = any (p_keys))
      and 'login:' || md5(l.hash) <> all (v_parked)
    order by l.expires_at
    limit p_limit
    for update skip locked
  )
  delete from tenuto.login_sessions l using old where l.hash = old.hash;
  get diagnostics logins = row_count;

  with old as materialized (
    select t.hash
    from tenuto.login_tokens t
    where t.expires_at <= tenuto.now()
      and (p_keys is null or 'token:' || md5(t.hash) = any (p_keys))
      and 'token:' || md5(t.hash) <> all (v_parked)
    order by t.expires_at
    limit p_limit
    for update skip locked
  )
  delete from tenuto.login_tokens t using old where t.hash = old.hash;
  get diagnostics tokens = row_count;
  return next;
end
$$;
