-- Returns how many attempts of an org failed, and how many were lost, within the last minute. Counts up to 100,000
-- attempts in total.
create or replace function tenuto._count_failures_lately(p_org_id uuid, out failed bigint, out lost bigint)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  select count(*) filter (where a.outcome <> 'lost'), count(*) filter (where a.outcome = 'lost')
  from (
    select a.outcome
    from tenuto.task_attempts a
    where a.org_id = p_org_id
      and a.ended_at > tenuto.now() - interval '1 minute'
      and a.outcome in ('failed', 'retrying', 'lost')
    limit 100000) a;
$$;
