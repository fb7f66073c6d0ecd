-- -> pending: copies tasks of a run, so that they run again. Tasks in p_replay continue after their recorded steps. A
-- copy becomes a child of the copy of its parent if the parent runs again, or if the copies belong to a new run: in
-- these cases the parent is always copied, perhaps later. Each copy has one dependency more than its original.
-- _release_copies removes this dependency when all tasks are copied, so that no task ends before its dependents exist.
create or replace function tenuto._copy_tasks(
  p_run_id uuid, p_run_attempt int, p_base uuid, p_old uuid[], p_replay uuid[], p_from_name text)
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set jit = off
as $$
declare
  v_copies record;   -- columns of the copies, as arrays: reading the rows again took 5 µs per task
  v_behind uuid[];
  v_single_task boolean := (select r.single_task from tenuto.runs r where r.id = p_run_id);
  v_of_jobs uuid[] := array(select j.task_id from tenuto.job_tasks j where j.task_id = any (p_old));
begin
  with copies as (
    insert into tenuto.tasks (id, org_id, run_id, parent_id, created_at, route_id, group_no, priority, place,
      backoff_seconds, timeout_seconds, heartbeat_timeout_seconds, max_attempts, max_losses, run_attempt, optional,
      has_slots, handler, name, input, limits, metadata, queue_job_id, copy_of, root_id)
    select tenuto._copy_id(p_base, t.id), t.org_id, p_run_id,
           case when t.run_id <> p_run_id or t.parent_id = any (p_old)
                then tenuto._copy_id(p_base, t.parent_id)
                else t.parent_id end,
           tenuto.now(), t.route_id, t.group_no, t.priority, t.place, t.backoff_seconds,
           t.timeout_seconds, t.heartbeat_timeout_seconds, t.max_attempts, t.max_losses, p_run_attempt, t.optional,
           t.has_slots, t.handler, t.name, t.input, t.limits, coalesce(m.metadata, t.metadata), t.queue_job_id, t.id,
           coalesce(t.root_id, t.id)
    from unnest(p_old) o(id)
    cross join lateral (select t.* from tenuto.tasks t where t.id = o.id limit 1) t
    left join tenuto.task_metadata m on m.task_id = o.id
    returning id, org_id, parent_id, route_id, group_no, priority, handler, limits is not null as limited, copy_of
  )
  select array_agg(c.id) as ids, array_agg(c.org_id) as orgs, array_agg(c.parent_id) as parents,
         array_agg(c.route_id) as routes, array_agg(c.group_no) as groups, array_agg(c.priority) as priorities,
         array_agg(c.handler) as handlers, array_agg(c.limited) as limited, array_agg(c.copy_of) as originals
  into v_copies
  from copies c;

  insert into tenuto.job_tasks
    (task_id, org_id, job_key, dag_version_id, config_hash, partition_key, input_versions, rebuild)
  select tenuto._copy_id(p_base, j.task_id), j.org_id, j.job_key, j.dag_version_id, j.config_hash, j.partition_key,
         j.input_versions, j.rebuild
  from tenuto.job_tasks j
  where j.task_id = any (v_of_jobs);

  v_behind := tenuto._copy_links(p_run_id, p_base, p_old);
  perform tenuto._copy_steps(p_run_id, p_base, p_replay, p_from_name);

  insert into tenuto.task_parents (id, org_id, open)
  select t.parent_id, t.org_id, count(*)
  from unnest(v_copies.parents, v_copies.orgs) t(parent_id, org_id)
  where t.parent_id is not null
  group by 1, 2
  order by 1
  on conflict (id) do update set open = task_parents.open + excluded.open;

  insert into tenuto.pending_tasks (id, org_id, run_id, route_id, group_no, priority, attempt, remaining, flags,
    handler)
  select t.id, t.org_id, p_run_id, t.route_id, t.group_no, t.priority, 0,
         1 + coalesce(b.edges, 0) + (t.handler is not null)::int,
         tenuto._flags(v_single_task, f.parent_id is not null, t.parent_id is not null, t.limited,
           t.old_id = any (v_of_jobs)),
         t.handler
  from unnest(v_copies.ids, v_copies.orgs, v_copies.parents, v_copies.routes, v_copies.groups, v_copies.priorities,
              v_copies.handlers, v_copies.limited, v_copies.originals)
       t(id, org_id, parent_id, route_id, group_no, priority, handler, limited, old_id)
  left join lateral (select f.parent_id from tenuto.task_dependencies f where f.parent_id = t.old_id limit 1) f on true
  left join (select i as id, count(*)::int as edges from unnest(v_behind) i group by i) b on b.id = t.id;
end
$$;
