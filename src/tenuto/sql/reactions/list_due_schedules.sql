-- Returns the schedules whose time has come, with the current time. The dispatcher uses the current time to compute
-- which times of a schedule to fire, and its next time. fire_schedules then checks that nothing has changed since. Orgs
-- take turns, so that an org with many schedules does not delay the others. A turn is p_limit / 32 schedules, because
-- firing several schedules of one org together costs less per schedule. With p_keys, returns only these schedules
-- (org:name), even if they are parked. Leaves out schedules that another transaction has locked, because fire_schedules
-- would skip them.
create or replace function tenuto.list_due_schedules(p_limit int default 100, p_keys text[] default null)
  returns table (org_id uuid, name text, cron text, timezone text, catch_up text, next_at timestamptz, now timestamptz,
    starts_after timestamptz)
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_parked text[] := tenuto._parked('fire_schedules', p_keys);
begin
  return query
  select s.org_id, s.name, s.cron, s.timezone, s.catch_up, s.next_at, tenuto.now(), s.starts_after
  from (
    select s.org_id, s.name, row_number() over (partition by s.org_id order by s.next_at, s.name) as turn
    from tenuto.schedules s
    where s.paused_at is null
      and not s.held
      and s.next_at <= tenuto.now()
      and (p_keys is null or s.org_id || ':' || s.name = any (p_keys))
      and s.org_id || ':' || s.name <> all (v_parked)) d
  join tenuto.schedules s on s.org_id = d.org_id and s.name = d.name
  order by (d.turn - 1) / greatest(p_limit / 32, 1), s.next_at, s.org_id
  limit p_limit
  for no key update of s skip locked;
end
$$;
