-- The org's chain in its order, after a place in it, with every byte that was hashed: to verify, and to export. Only one
-- entry has a place, unless somebody forged another: p_after_id is the last one seen at p_after.
create or replace function tenuto.read_audit(p_org_id uuid, p_after bigint default 0, p_after_id uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff', p_limit int default 1000)
  returns table (
    seq bigint, hash bytea, id uuid, org_id uuid, created_at timestamptz, entity text, entity_id text, action text, changes text,
    actor_kind text, actor_id text, ip text, user_agent text, request_id text)
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
