-- Returns the schedules whose time has come, with that time. The dispatcher computes from both which times to fire and
-- the next one; fire_schedules compares. Orgs take turns, so that an org with many schedules does not delay the others.
-- p_keys: only these schedules (org:name), parked or not.
create or replace function tenuto.list_due_schedules(p_limit int default 100, p_keys text[] default null)
  returns table (org_id uuid, name text, cron text, timezone text, catch_up text, next_at timestamptz, now timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_parked text[] := tenuto._parked('fire_schedules', p_keys);
begin
  return query
  select s.org_id, s.name, s.cron, s.timezone, s.catch_up, s.next_at, tenuto.now()
  from (
    select s.*, row_number() over (partition by s.org_id order by s.next_at, s.name) as turn
    from tenuto.schedules s
    where s.paused_at is null
      and s.next_at <= tenuto.now()
      and (p_keys is null or s.org_id || ':' || s.name = any (p_keys))
      and s.org_id || ':' || s.name <> all (v_parked)) s
  order by s.turn, s.next_at
  limit p_limit;
end
$$;
