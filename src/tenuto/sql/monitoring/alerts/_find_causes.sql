-- Returns what an alert rule finds now: up to 100 causes, each with a sentence about it. A rule of kind job_failures
-- searches only the 10,000 newest failed tasks.
create or replace function tenuto._find_causes(p_rule tenuto.alert_rules)
  returns table (key text, summary text, details jsonb)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_since timestamptz := tenuto.now() - interval '1 second' * p_rule.seconds;
begin
  case p_rule.kind
  when 'job_failures' then
    return query
    select f.job, format('job %s failed %s within %s s', f.job,
             case f.count when 1 then 'once' else f.count || ' times' end, p_rule.seconds),
           jsonb_build_object('job', f.job, 'failures', f.count, 'last_task', f.last)
    from (
      select (t.input #>> '{job,dag}') || '/' || (t.input #>> '{job,job}') as job, count(*) as count,
             max(t.id::text) as last
      from (
        select a.task_id, a.ended_at
        from tenuto.task_attempts a
        where a.org_id = p_rule.org_id and a.outcome = 'failed' and a.end_no = 0
        order by a.task_id desc
        limit 10000) a
      join tenuto.tasks t on t.id = a.task_id
      where a.ended_at > v_since
        -- Counts only tasks of jobs, because other tasks may have an input of the same form. Leaves out tasks of
        -- builds, whose failures are shown with the DAG version.
        and exists (select from tenuto.job_tasks j where j.task_id = a.task_id and not j.rebuild)
      group by 1) f
    where f.count >= p_rule.threshold and (p_rule.target is null or f.job = p_rule.target)
    order by f.job
    limit 100;
  when 'dataset_age' then
    return query
    select d.name, format('dataset %s has had no commit for %s s', d.name, p_rule.seconds),
           jsonb_build_object('dataset', d.name, 'last_commit', c.committed_at)
    from tenuto.datasets d
    left join lateral (   -- not from its events, which are deleted earlier
      select max(p.committed_at) as committed_at
      from tenuto.dataset_versions v
      cross join lateral (
        select p.committed_at
        from tenuto.partition_versions p
        where p.org_id = v.org_id and p.dataset_version_id::text = v.id::text   -- the index has this cast
        order by p.committed_at desc
        limit 1) p
      where v.org_id = d.org_id and v.dataset_id = d.id) c on true
    where d.org_id = p_rule.org_id and d.name = p_rule.target and d.deleted_at is null
      and coalesce(c.committed_at, p_rule.created_at) < v_since;
  when 'dead_effects' then
    return query
    select 'outbox', case c.count when 1 then '1 effect is a dead letter'
                               else format('%s effects are dead letters', c.count) end,
           jsonb_build_object('dead', c.count)
    from (
      select count(*) as count
      from (select from tenuto.outbox o where o.org_id = p_rule.org_id and o.status = 'dead' limit 1000) o) c
    where c.count >= p_rule.threshold;
  when 'pool_trouble' then
    return query
    select c.pool, c.summary, c.details from tenuto._find_pool_trouble(p_rule.org_id, p_rule.target, v_since) c;
  else
    return query
    select u.queue, format('no live worker takes the tasks of queue %s: %s', u.queue, left(min(u.reason), 500)),
           jsonb_build_object('queue', u.queue, 'tasks', sum(u.tasks), 'since', min(u.queued_at))
    from tenuto.list_unserved(p_rule.org_id) u
    where u.queued_at < v_since and (p_rule.target is null or u.queue = p_rule.target)
    group by u.queue
    order by u.queue
    limit 100;
  end case;
end
$$;
