-- Returns repairs and resolved alerts that ended longer ago than their org keeps them: 90 days, or the retention of its
-- runs if that is longer. Returns at most p_limit of each kind and org, the oldest first.
create or replace function tenuto._old_history(p_limit int)
  returns table (key text, id uuid, org_id uuid, is_alert boolean, ended_at timestamptz)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  select r.kind || ':' || r.id, r.id, r.org_id, false, r.ended_at
  from tenuto._old_repairs(p_limit) r
  union all
  select 'alert:' || a.id, a.id, o.id, true, a.resolved_at
  from tenuto.orgs o
  cross join lateral (
    select a.id, a.resolved_at
    from tenuto.alerts a
    where a.org_id = o.id
      and a.resolved_at < tenuto.now() - greatest(interval '90 days', tenuto._retention(o.settings))
    order by a.resolved_at
    limit p_limit) a;
$$;
