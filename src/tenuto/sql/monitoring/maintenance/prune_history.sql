-- Deletes backfills, invalidations and alerts that ended longer ago than their org keeps them; at most p_limit per
-- call. Also deletes the rows in repair_tasks of these backfills and invalidations. With p_keys, deletes only the rows
-- with these keys (backfill:ID, invalidation:ID, alert:ID), even if they are parked. Returns how many rows were
-- deleted.
create or replace function tenuto.prune_history(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_seen text[] := tenuto._parked('prune_history', p_keys);
  v_keys text[];
  v_next uuid[];
  v_repairs uuid[] := '{}';
  v_alerts uuid[] := '{}';
begin
  while cardinality(v_repairs || v_alerts) < p_limit   -- until there are enough that no other transaction has locked
  loop
    select coalesce(array_agg(h.key), '{}'), array_agg(h.id)
    into v_keys, v_next
    from (
      select h.key, h.id
      from tenuto._old_history(case when p_keys is null then p_limit + cardinality(v_seen) else 100000 end) h
      where (p_keys is null or h.key = any (p_keys)) and h.key <> all (v_seen)
      order by h.ended_at
      limit p_limit - cardinality(v_repairs || v_alerts)) h;
    exit when v_keys = '{}';
    v_seen := v_seen || v_keys;
    v_repairs := v_repairs
      || array(select b.id from tenuto.backfills b where b.id = any (v_next) for update skip locked)
      || array(select i.id from tenuto.data_invalidations i where i.id = any (v_next) for update skip locked);
    v_alerts := v_alerts || array(select a.id from tenuto.alerts a where a.id = any (v_next) for update skip locked);
  end loop;
  delete from tenuto.alerts a where a.id = any (v_alerts);
  return tenuto._prune_repairs(v_repairs, p_limit) + cardinality(v_alerts);
end
$$;
