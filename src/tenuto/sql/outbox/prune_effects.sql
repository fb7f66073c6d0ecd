-- Deletes effects that were done longer ago than their org keeps them (effect_retention_hours, or 24 hours). If p_keep
-- is set, it replaces this time. Deletes at most p_limit per call, org by org in random order, of each org the oldest
-- first. With p_keys, deletes only these effects, even if they are parked. Returns how many were deleted.
create or replace function tenuto.prune_effects(
  p_keep interval default null, p_limit int default 10000, p_keys text[] default null)
  returns bigint
  language sql
  set lock_timeout = '1s'
as $$
  with old as materialized (   -- org by org, so that effects which one org keeps for long are not read for others
    select e.id
    from (select o.id, o.settings from tenuto.orgs o order by random()) o
    cross join lateral (
      select b.id
      from tenuto.outbox b
      where b.org_id = o.id
        and b.status = 'done'
        and b.processed_at < tenuto.now() - coalesce(p_keep, tenuto._hours_kept(o.settings, 'effect_retention_hours'))
        and (p_keys is null or b.id = any (p_keys::bigint[]))
        and b.id::text <> all (array(select unnest(tenuto._parked('prune_effects', p_keys))))
      order by b.processed_at
      limit p_limit
      for update skip locked) e
    limit p_limit
  ), gone as (
    delete from tenuto.outbox where id in (select id from old) returning 1
  )
  select count(*) from gone;
$$;
