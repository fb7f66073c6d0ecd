-- Returns the last position (head) of each org's audit chain, with its hash, if this head is not signed yet and the
-- org's last signed head, if there is one, was signed at least p_every ago. Runs as the owner, for all orgs. With
-- p_keys, returns only heads of these orgs, even if they are parked.
create or replace function tenuto.list_due_heads(
  p_every interval default '1 minute', p_limit int default 100, p_keys text[] default null)
  returns table (org_id uuid, seq bigint, hash bytea)
  language sql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
  select c.org_id, c.seq, c.hash
  from tenuto.audit_chains c
  left join lateral (
    select h.seq, h.signed_at from tenuto.audit_heads h where h.org_id = c.org_id order by h.seq desc limit 1) h on true
  where c.seq > coalesce(h.seq, 0)
    and coalesce(h.signed_at, '-infinity') <= tenuto.now() - p_every
    and (p_keys is null or c.org_id = any (p_keys::uuid[]))
    and c.org_id::text <> all (tenuto._parked('sign_heads', p_keys))
  order by c.org_id
  limit p_limit;
$$;
