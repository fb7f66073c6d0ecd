-- Returns tasks that a session ran and that are queued again, with new routes: workers with the code version that ran a
-- task do not serve its new route. p_versions has that code version for each of p_task_ids. A null entry means the
-- version with which the session runs the type (_code_version). A route lists the last 10 versions that could not
-- continue its tasks; an older version could claim them again. A soft route is replaced by the route of all workers,
-- because the other code may run only at other addresses.
create or replace function tenuto._route_to_other_code(
  p_session_id bigint, p_queued tenuto.queued_task[], p_task_ids uuid[], p_versions text[])
  returns tenuto.queued_task[]
  language plpgsql
as $$
declare
  v_queued tenuto.queued_task[] := p_queued;
  v_route record;
  v_id int;
begin
  for v_route in
    select r.*, t.version, t.ids
    from (
      select c.route_id, coalesce(v.version, tenuto._code_version(w, o.type, s.code_version)) as version,
             array_agg(c.id) as ids
      from unnest(p_queued) c
      join tenuto.routes o on o.id = c.route_id
      join tenuto.sessions s on s.id = p_session_id
      join tenuto.workers w on w.org_id = s.org_id and w.id = s.worker_id
      left join lateral (
        select v.version from unnest(p_task_ids, p_versions) as v(id, version) where v.id = c.id limit 1) v on true
      group by 1, 2) t
    join tenuto.routes r on r.id = t.route_id
    where t.version <> all (r.blocked_versions)
    order by r.queue, r.id, t.version
  loop
    v_id := tenuto._intern_route(
      v_route.org_id, v_route.queue, v_route.type, v_route.language, v_route.labels,
      case when v_route.soft then '{}' else v_route.addresses end,
      v_route.blocked_versions[greatest(1, cardinality(v_route.blocked_versions) - 8):] || v_route.version);
    v_queued := array(
      select (c.id, c.org_id, c.run_id, case when c.id = any (v_route.ids) then v_id else c.route_id end, c.group_no,
              c.priority, c.attempt, c.flags)::tenuto.queued_task
      from unnest(v_queued) c);
  end loop;
  return v_queued;
end
$$;
