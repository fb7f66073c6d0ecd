-- Returns how long attempts of the org waited from ready to started, for at most p_limit attempts (up to 500) that
-- ended within the last p_seconds. Reads only this sample, so that a busy org costs no more than an idle one.
create or replace function tenuto.sample_queue_times(p_org_id uuid, p_seconds float8, p_limit int default 500)
  returns table (queue text, type text, seconds float8)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  select o.queue, o.type, extract(epoch from a.started_at - a.queued_at)::float8
  from (
    select a.task_id, a.queued_at, a.started_at
    from tenuto.task_attempts a
    where a.org_id = p_org_id
      and a.ended_at > tenuto.now() - make_interval(secs => p_seconds)
      and a.started_at is not null
      and a.queued_at is not null
    limit least(p_limit, 500)
  ) a
  join tenuto.tasks t on t.id = a.task_id
  join tenuto.routes o on o.id = t.route_id;
$$;
