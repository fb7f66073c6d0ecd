-- Takes finished tasks over into another run: copies of the record and of its final end, so that the new run outlives the old.
create or replace function tenuto._keep_tasks(p_run_id uuid, p_old uuid[], p_new uuid[])
  returns void
  language sql
as $$
  insert into tenuto.tasks (id, org_id, run_id, created_at, route_id, group_no, priority, place, backoff_seconds, timeout_seconds,
    heartbeat_timeout_seconds, max_attempts, max_losses, run_attempt, optional, has_slots, handler, name, input, limits, metadata, copy_of)
  select m.new, t.org_id, p_run_id, tenuto.now(), t.route_id, t.group_no, t.priority, t.place, t.backoff_seconds, t.timeout_seconds,
    t.heartbeat_timeout_seconds, t.max_attempts, t.max_losses, 1, t.optional, t.has_slots, t.handler, t.name, t.input, t.limits, t.metadata, t.id
  from unnest(p_old, p_new) m(old, new)
  join tenuto.tasks t on t.id = m.old;

  insert into tenuto.task_slots (task_id, direction, position, org_id, type, value, object_id, source_task_id, source_position)
  select m.new, s.direction, s.position, s.org_id, s.type, s.value, s.object_id, coalesce(f.new, s.source_task_id), s.source_position
  from unnest(p_old, p_new) m(old, new)
  join tenuto.task_slots s on s.task_id = m.old
  left join unnest(p_old, p_new) f(old, new) on f.old = s.source_task_id;

  insert into tenuto.task_attempts (task_id, org_id, queued_at, started_at, ended_at, end_no, attempt, outcome, reported, output)
  select m.new, a.org_id, a.queued_at, a.started_at, a.ended_at, 0, 0, a.outcome, false, a.output
  from unnest(p_old, p_new) m(old, new)
  join tenuto.task_attempts a on a.task_id = m.old and a.end_no = 0;

  insert into tenuto.task_dependencies (parent_id, child_id, org_id, runs_on)
  select f.new, m.new, d.org_id, d.runs_on
  from unnest(p_old, p_new) m(old, new)
  join tenuto.task_dependencies d on d.child_id = m.old
  join unnest(p_old, p_new) f(old, new) on f.old = d.parent_id;

  insert into tenuto.run_counts (run_id, org_id, added, completed, skipped)
  select p_run_id, a.org_id, count(*), count(*) filter (where a.outcome = 'completed'), count(*) filter (where a.outcome = 'skipped')
  from unnest(p_new) n
  join tenuto.task_attempts a on a.task_id = n and a.end_no = 0
  group by a.org_id;
$$;
