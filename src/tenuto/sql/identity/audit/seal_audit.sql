-- Chains the unsealed audit entries, each to the previous entry of its org; at most p_limit per call. Entries are
-- chained in the order in which they are found after commit, so that none can be inserted before a sealed one. Runs as
-- the owner: no other role can update an entry. p_keys: only these orgs, parked or not.
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
  v_entry tenuto.audit_log;
  v_sealed bigint := 0;
  v_parked uuid[] := tenuto._parked('seal_audit', p_keys);
begin
  for v_org in
    select u.org_id
    from (select distinct u.org_id from tenuto.audit_unsealed u) u
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
    continue when not found;   -- another dispatcher seals it

    for v_entry in
      select a.*
      from (select u.id from tenuto.audit_unsealed u where u.org_id = v_org order by u.id limit p_limit - v_sealed) u
      join tenuto.audit_log a on a.id = u.id
      order by a.id
    loop
      v_chain.seq := v_chain.seq + 1;
      v_chain.hash := tenuto._audit_hash(v_chain.hash, v_chain.seq, v_entry);
      update tenuto.audit_log a set seq = v_chain.seq, hash = v_chain.hash where a.id = v_entry.id;
      delete from tenuto.audit_unsealed u where u.id = v_entry.id;
      v_sealed := v_sealed + 1;
    end loop;
    update tenuto.audit_chains c
    set seq = v_chain.seq, hash = v_chain.hash, sealed_at = tenuto.now()
    where c.org_id = v_org;
  end loop;
  return v_sealed;
end
$$;
