-- Returns the due rows of loops that _due_rows does not handle: deadlines of runs, closed and released runs, tasks with
-- a preferred placement, arrivals, lanes, limits, effects, audit chains and data objects.
create or replace function tenuto._due_maintenance_rows(p_loop text)
  returns table (key text, org_id uuid, run_id uuid, task_id uuid, since timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
begin
  case p_loop
  when 'expire_runs' then
    return query
    select d.kind || ':' || d.run_id, d.org_id, d.run_id, null::uuid, d.at
    from tenuto.run_deadlines d
    where d.at <= tenuto.now()
    order by d.at
    limit 100000;
  when 'sweep_closed' then
    return query
    select c.run_id::text, c.org_id, c.run_id, null::uuid, c.requested_at
    from tenuto.close_requests c
    limit 100000;
  when 'sweep_released' then
    return query
    select q.run_id::text, q.org_id, q.run_id, null::uuid, q.requested_at
    from tenuto.release_requests q
    limit 100000;
  when 'relax_placement' then
    return query
    select t.id::text, t.org_id, t.run_id, t.id, t.queued_at
    from tenuto.routes r
    join tenuto.ready_tasks t on t.route_id = r.id
    where r.soft and t.queued_at <= tenuto.now() - interval '2 seconds'
    limit 100000;
  when 'follow_arrivals' then
    return query
    select a.id::text, a.org_id, null::uuid, null::uuid, null::timestamptz
    from tenuto.arrivals a
    order by a.id
    limit 100000;
  when 'sweep_lanes' then
    return query
    select concat_ws(':', l.route_id, l.group_no, l.priority), l.org_id, null::uuid, null::uuid, l.empty_since
    from tenuto.ready_lanes l
    where l.empty_since < tenuto.now() - interval '1 minute'
    union all
    select concat_ws(':', l.route_id, l.group_no, l.priority), l.org_id, null, null, null
    from tenuto._unseen_lanes() l
    limit 100000;
  when 'sweep_limits' then
    return query
    select l.id::text, l.org_id, null::uuid, null::uuid, null::timestamptz
    from tenuto._limits_to_repair() l
    limit 100000;
  when 'admit_rates' then
    return query
    select l.id::text, l.org_id, null::uuid, null::uuid, l.due_at
    from tenuto.limits l
    where l.due_at <= tenuto.now()
    order by l.due_at
    limit 100000;
  when 'drain_outbox' then
    return query
    select o.id::text, o.org_id, null::uuid, null::uuid, coalesce(o.locked_until, o.available_at)
    from tenuto.outbox o
    where (o.status = 'pending' and o.available_at <= tenuto.now())
      or (o.status = 'processing' and o.locked_until < tenuto.now())
    limit 100000;
  when 'seal_audit' then
    return query
    select u.org_id::text, u.org_id, null::uuid, null::uuid, null::timestamptz
    from (
      select u.org_id from tenuto.audit_unsealed u
      union
      select r.org_id from tenuto.audit_arrivals r
    ) u;
  when 'sign_heads' then
    return query
    select c.org_id::text, c.org_id, null::uuid, null::uuid, c.sealed_at
    from tenuto.audit_chains c;
  when 'collect_objects' then
    return query
    select o.id::text, o.org_id, null::uuid, null::uuid, o.created_at
    from tenuto.data_objects o
    join tenuto.orgs g on g.id = o.org_id
    where o.created_at < tenuto.now() - tenuto._hours_kept(g.settings, 'object_retention_hours')
      and not o.persisted
      and not exists (select from tenuto.data_references r where r.org_id = o.org_id and r.object_id = o.id)
    limit 100000;
  else
    return query select d.* from tenuto._due_prune_rows(p_loop) d;
  end case;
end
$$;
