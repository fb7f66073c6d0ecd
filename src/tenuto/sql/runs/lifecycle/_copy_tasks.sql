-- -> pending: copies tasks of a run, so that they run again. Each copy has one dependency more than its original.
-- _release_copies removes this dependency when all tasks are copied, so that no task ends before its dependents exist.
create or replace function tenuto._copy_tasks(p_run_id uuid, p_run_attempt int, p_base uuid, p_old uuid[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set jit = off
as $$
declare
  v_behind uuid[];
begin
  insert into tenuto.tasks (id, org_id, run_id, parent_id, created_at, route_id, group_no, priority, place,
    backoff_seconds, timeout_seconds, heartbeat_timeout_seconds, max_attempts, max_losses, run_attempt, optional,
    has_slots, handler, name, input, limits, metadata, queue_job_id, copy_of)
  select tenuto._copy_id(p_base, t.id), t.org_id, p_run_id,
         coalesce(p.id, case when t.run_id = p_run_id then t.parent_id end), tenuto.now(), t.route_id, t.group_no,
         t.priority, t.place, t.backoff_seconds, t.timeout_seconds, t.heartbeat_timeout_seconds, t.max_attempts,
         t.max_losses, p_run_attempt, t.optional, t.has_slots, t.handler, t.name, t.input, t.limits, t.metadata,
         t.queue_job_id, t.id
  from unnest(p_old) o(id)
  cross join lateral (select t.* from tenuto.tasks t where t.id = o.id limit 1) t
  left join lateral (
    select p.id from tenuto.tasks p where p.id = tenuto._copy_id(p_base, t.parent_id) limit 1) p on true;

  v_behind := tenuto._copy_links(p_run_id, p_base, p_old);

  insert into tenuto.pending_tasks (id, org_id, run_id, route_id, group_no, priority, attempt, remaining, flags,
    handler)
  select t.id, t.org_id, t.run_id, t.route_id, t.group_no, t.priority, 0,
         1 + coalesce(b.edges, 0) + (t.handler is not null)::int,
         tenuto._flags(t.run_id = t.id, f.parent_id is not null, t.parent_id is not null, t.limits is not null),
         t.handler
  from unnest(p_old) o(id)
  cross join lateral (select t.* from tenuto.tasks t where t.id = tenuto._copy_id(p_base, o.id) limit 1) t
  left join lateral (select f.parent_id from tenuto.task_dependencies f where f.parent_id = o.id limit 1) f on true
  left join (select i as id, count(*)::int as edges from unnest(v_behind) i group by i) b on b.id = t.id;
end
$$;
