-- Returns the org's audit chain in order, starting after the position p_after, with every byte that was hashed, so that
-- the chain can be verified and exported. A position has one entry unless an entry was forged. p_after_id: the last
-- entry that the caller has read at position p_after.
create or replace function tenuto.read_audit(
  p_org_id uuid, p_after bigint default 0, p_after_id uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  p_limit int default 1000)
  returns table (
    seq bigint, hash bytea, id uuid, org_id uuid, created_at timestamptz, entity text, entity_id text, action text,
    changes text, actor_kind text, actor_id text, ip text, user_agent text, request_id text)
  language sql
  stable
as $$
  select a.seq, a.hash, a.id, a.org_id, a.created_at, a.entity, a.entity_id, a.action, a.changes::text,
         a.actor_kind, a.actor_id, a.ip, a.user_agent, a.request_id
  from tenuto.audit_log a
  where a.org_id = p_org_id and a.seq >= p_after and (a.seq, a.id) > (p_after, p_after_id)
  order by a.seq, a.id
  limit p_limit;
$$;
