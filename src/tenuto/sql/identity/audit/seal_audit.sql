-- Chains the unsealed audit entries, and the calls that _audit has recorded for clients with a database connection,
-- each to the previous entry of its org; at most p_limit at a time. Entries are chained in the order in which they are
-- found after commit. So no entry can be inserted before a sealed one, and none waits for a transaction that is still
-- open. Runs as the owner, because no other role can update an entry. With p_keys, seals only entries of these orgs,
-- even if they are parked. Returns how many entries were sealed.
create or replace function tenuto.seal_audit(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '1s'
as $$
declare
  v_org uuid;
  v_chain tenuto.audit_chains;
  v_entries tenuto.audit_log[];
  v_hashes bytea[];
  v_sealed bigint := 0;
  v_parked uuid[] := tenuto._parked('seal_audit', p_keys);
  v_floor uuid := '00000000-0000-0000-0000-000000000000';
begin
  if p_keys is null then
    v_floor := coalesce((select f.audit_id from tenuto.due_floors f), v_floor);
  end if;
  for v_org in
    select u.org_id
    from (
      select u.org_id from tenuto.audit_unsealed u
      union
      select r.org_id from tenuto.audit_arrivals r where r.id >= v_floor
    ) u
    left join tenuto.audit_chains c on c.org_id = u.org_id
    where (p_keys is null or u.org_id = any (p_keys::uuid[]))
      and u.org_id <> all (v_parked)
    order by c.sealed_at nulls first   -- so that no org waits behind a busy one
  loop
    exit when v_sealed >= p_limit;
    insert into tenuto.audit_chains (org_id, seq, hash, sealed_at)
    values (v_org, 0, '', tenuto.now())
    on conflict do nothing;
    select * into v_chain from tenuto.audit_chains c where c.org_id = v_org for update skip locked;
    continue when not found;   -- another dispatcher seals this chain

    v_entries := array(
      select a
      from (select u.id from tenuto.audit_unsealed u where u.org_id = v_org order by u.id limit p_limit - v_sealed) u
      join tenuto.audit_log a on a.id = u.id
      order by a.id);
    if v_entries <> '{}' then
      v_hashes := tenuto._audit_hashes(v_chain.hash, v_chain.seq, v_entries);
      update tenuto.audit_log a
      set seq = v_chain.seq + h.no, hash = h.hash
      from unnest(array(select e.id from unnest(v_entries) e), v_hashes) with ordinality as h(id, hash, no)
      where a.id = h.id;
      delete from tenuto.audit_unsealed u where u.id = any (array(select e.id from unnest(v_entries) e));
      v_chain.seq := v_chain.seq + cardinality(v_hashes);
      v_chain.hash := v_hashes[cardinality(v_hashes)];
      v_sealed := v_sealed + cardinality(v_hashes);
    end if;

    v_entries := array(
      select (r.id, r.org_id, r.created_at, tenuto._arrived_word(r.entity), tenuto._arrived_id(r.entity_id),
              tenuto._arrived_word(r.action), tenuto._arrived_changes(r.changes, r.old), 'login', r.login, r.ip,
              r.application, null, null, null)::tenuto.audit_log
      from tenuto._take_audit_arrivals(v_org, v_floor, p_limit - v_sealed) r
      order by r.id);
    if v_entries <> '{}' then
      v_hashes := tenuto._audit_hashes(v_chain.hash, v_chain.seq, v_entries);
      insert into tenuto.audit_log (id, org_id, created_at, entity, entity_id, action, changes, actor_kind, actor_id,
        ip, user_agent, seq, hash)
      select e.id, e.org_id, e.created_at, e.entity, e.entity_id, e.action, e.changes, e.actor_kind, e.actor_id,
             e.ip, e.user_agent, v_chain.seq + h.no, h.hash
      from unnest(array(select e.id from unnest(v_entries) e), v_hashes) with ordinality as h(id, hash, no)
      join unnest(v_entries) e on e.id = h.id;
      v_chain.seq := v_chain.seq + cardinality(v_hashes);
      v_chain.hash := v_hashes[cardinality(v_hashes)];
      v_sealed := v_sealed + cardinality(v_hashes);
    end if;
    update tenuto.audit_chains c
    set seq = v_chain.seq, hash = v_chain.hash, sealed_at = tenuto.now()
    where c.org_id = v_org;
  end loop;
  return v_sealed;
end
$$;
