-- Returns backfills and invalidations that ended longer ago than their org keeps them: 90 days, or the retention of its
-- runs if that is longer. Returns at most p_limit of each kind and org, the oldest first.
create or replace function tenuto._old_repairs(p_limit int)
  returns table (id uuid, org_id uuid, kind text, ended_at timestamptz)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  select r.id, o.id, r.kind, r.ended_at
  from tenuto.orgs o
  cross join lateral (
    select tenuto.now() - greatest(interval '90 days', tenuto._retention(o.settings)) as at) before
  cross join lateral (
    (select b.id, 'backfill' as kind, b.ended_at
     from tenuto.backfills b
     where b.org_id = o.id and b.ended_at < before.at
     order by b.ended_at
     limit p_limit)
    union all
    (select i.id, 'invalidation', i.ended_at
     from tenuto.data_invalidations i
     where i.org_id = o.id and i.ended_at < before.at
     order by i.ended_at
     limit p_limit)) r;
$$;
