-- The schedules whose time has come, and the time: Python computes from both which moments to fire and the next one, and
-- fire_schedule compares.
create or replace function tenuto.due_schedules(p_limit int default 100)
  returns table (org_id uuid, name text, cron text, timezone text, catch_up text, next_at timestamptz, now timestamptz)
  language sql
  stable
as $$
  select s.org_id, s.name, s.cron, s.timezone, s.catch_up, s.next_at, tenuto.now()
  from tenuto.schedules s
  where s.paused_at is null
    and s.next_at <= tenuto.now()
  order by s.next_at
  limit p_limit;
$$;
