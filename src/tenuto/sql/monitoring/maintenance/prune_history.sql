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
  v_parked text[] := tenuto._parked('prune_history', p_keys);
  v_repairs uuid[];
  v_alerts uuid[];
  v_count bigint;
begin
  select array_agg(h.id) filter (where not h.is_alert), array_agg(h.id) filter (where h.is_alert)
  into v_repairs, v_alerts
  from (
    select h.id, h.is_alert
    from tenuto._old_history(case when p_keys is null then p_limit + cardinality(v_parked) else 100000 end) h
    where (p_keys is null or h.key = any (p_keys)) and h.key <> all (v_parked)
    order by h.ended_at
    limit p_limit) h;
  v_count := tenuto._prune_repairs(coalesce(v_repairs, '{}'), p_limit);
  delete from tenuto.alerts a where a.id = any (v_alerts);
  return v_count + coalesce(cardinality(v_alerts), 0);
end
$$;
