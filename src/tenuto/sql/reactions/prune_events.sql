-- Deletes events and reactions whose retention is over and that are in a default partition, because only weekly
-- partitions are dropped as a whole. Deletes at most p_limit events per call, and returns how many. Runs as the owner,
-- the only role that can read the default partitions. With p_keys, deletes only these events, even if they are parked.
create or replace function tenuto.prune_events(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '1s'
as $$
declare
  v_seen uuid[] := tenuto._parked('prune_events', p_keys);
  v_next uuid[];
  v_ids uuid[] := '{}';
begin
  while cardinality(v_ids) < p_limit   -- until there are enough events that no other transaction has locked
  loop
    v_next := array(
      select e.id
      from tenuto._old_events(case when p_keys is null then p_limit + cardinality(v_seen) else 100000 end) e
      where (p_keys is null or e.id::text = any (p_keys)) and e.id <> all (v_seen)
      limit p_limit - cardinality(v_ids));
    exit when v_next = '{}';
    v_seen := v_seen || v_next;
    v_ids := v_ids || array(
      select e.id from tenuto.events_default e where e.id = any (v_next) order by e.id for update skip locked);
    v_ids := v_ids || array(   -- reactions whose event has gone with its week
      select n from unnest(v_next) n where not exists (select from tenuto.events_default e where e.id = n));
  end loop;
  delete from tenuto.event_reactions_default where event_id = any (v_ids);
  delete from tenuto.events_default where id = any (v_ids);
  return cardinality(v_ids);
end
$$;
