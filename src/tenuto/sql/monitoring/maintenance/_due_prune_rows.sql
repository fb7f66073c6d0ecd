-- Returns the due rows of a loop, for _due_rows. p_loop is watch_backlogs, advance_builds, expire_workers, a loop that
-- deletes rows after their retention, or a loop of _due_sweep_rows or _due_repair_rows.
create or replace function tenuto._due_prune_rows(p_loop text)
  returns table (key text, org_id uuid, run_id uuid, task_id uuid, since timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
begin
  case p_loop
  when 'watch_backlogs' then
    return query
    select b.org_id || ':' || b.job_key, b.org_id, null::uuid, null::uuid, b.due_at
    from tenuto.job_backlogs b
    where b.due_at <= tenuto.now()
    limit 100000;
  when 'expire_workers' then
    return query
    select w.org_id || ':' || w.id, w.org_id, null::uuid, null::uuid, w.since
    from tenuto._overdue_workers() w
    limit 100000;
  when 'advance_builds' then
    return query
    select w.key, b.org_id, null::uuid, null::uuid, b.due_at
    from tenuto.builds b
    cross join lateral tenuto._build_work(b) w
    where b.due_at <= tenuto.now()
    limit 100000;
  when 'prune_runs' then
    return query
    select r.id::text, r.org_id, r.id, null::uuid, null::timestamptz
    from tenuto._rows_to_prune(100000) r
    limit 100000;
  when 'drop_partitions' then
    return query
    select w.name, null::uuid, null::uuid, null::uuid, w.ends_at
    from tenuto._weeks() w
    where w.ends_at < tenuto.now() - (select max(tenuto._retention(o.settings)) from tenuto.orgs o);
  when 'prune_events' then
    return query
    select e.id::text, e.org_id, null::uuid, null::uuid, null::timestamptz
    from tenuto._old_events(100000) e;
  when 'prune_effects' then
    return query
    select o.id::text, o.org_id, null::uuid, null::uuid, o.processed_at
    from tenuto.orgs g
    join tenuto.outbox o on o.org_id = g.id
    where o.status = 'done' and o.processed_at < tenuto.now() - tenuto._hours_kept(g.settings, 'effect_retention_hours')
    limit 100000;
  when 'prune_workers' then
    return query
    select 'session:' || s.id, s.org_id, null::uuid, null::uuid, s.ended_at
    from tenuto.sessions s where s.ended_at < tenuto.now() - interval '14 days'
    union all
    select 'worker:' || w.org_id || ':' || w.id, w.org_id, null, null, w.terminated_at
    from tenuto.workers w
    where w.status = 'terminated' and w.terminated_at < tenuto.now() - interval '14 days'
    union all
    select 'decision:' || d.id, d.org_id, null, null, d.decided_at
    from tenuto.scaling_decisions d where d.decided_at < tenuto.now() - interval '14 days'
    union all
    select concat_ws(':', 'line', l.org_id, l.worker_id, l.line_no), l.org_id, null, null, l.logged_at
    from tenuto.worker_logs l where l.logged_at < tenuto.now() - interval '48 hours'
    limit 100000;
  when 'prune_limits' then
    return query
    select l.id::text, l.org_id, null::uuid, null::uuid, l.idle_since
    from tenuto.limits l
    where l.idle_since < tenuto.now() - interval '1 day' or l.idle_since is null
    limit 100000;
  when 'prune_identity' then
    return query
    select 'request:' || i.org_id || ':' || i.actor || ':' || i.key, i.org_id, null::uuid, null::uuid, i.created_at
    from tenuto.idempotency_keys i where i.created_at <= tenuto.now() - interval '1 day'
    union all
    select 'bucket:' || b.org_id || ':' || b.bucket, b.org_id, null, null, b.full_at
    from tenuto.rate_buckets b where b.full_at <= tenuto.now()
    union all
    select 'login:' || md5(l.hash), l.org_id, null, null, l.expires_at
    from tenuto.login_sessions l where l.expires_at <= tenuto.now()
    union all
    select 'token:' || md5(t.hash), t.org_id, null, null, t.expires_at
    from tenuto.login_tokens t where t.expires_at <= tenuto.now()
    limit 100000;
  else
    return query select d.* from tenuto._due_sweep_rows(p_loop) d;
  end case;
end
$$;
