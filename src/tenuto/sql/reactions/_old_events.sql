-- Returns events whose retention is over and whose row, or the row of a reaction to them, is in a default partition.
-- Such a row was added while the partition of its week did not exist, so it is not dropped with a weekly partition.
-- Runs as the owner, the only role that can read the default partitions.
create or replace function tenuto._old_events(p_limit int)
  returns table (id uuid, org_id uuid)
  language sql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan
as $$
  select e.id, o.id
  from tenuto.orgs o
  cross join lateral (select tenuto._uuid7_floor(tenuto.now() - tenuto._retention(o.settings)) as id) before
  cross join lateral (
    (select e.id
     from tenuto.events_default e
     where e.org_id = o.id and e.id < before.id
     order by e.id
     limit p_limit)
    union
    (select r.event_id
     from tenuto.event_reactions_default r
     where r.org_id = o.id and r.event_id < before.id
     order by r.event_id
     limit p_limit)) e
  limit p_limit;
$$;
