-- Puts copies of tasks into a run, open, with their edges and slots among themselves. Sources outside the copied set keep
-- their id, unless p_moved_from/p_moved_to say where they went. Answers the cards to make ready.
create or replace function tenuto._copy_tasks(p_run_id uuid, p_alone boolean, p_run_attempt int, p_old uuid[], p_new uuid[], p_moved_from uuid[], p_moved_to uuid[])
  returns tenuto.card[]
  language plpgsql
as $$
declare
  v_kinds tenuto.kind[];
  v_inputs jsonb[];
  v_details jsonb;
  v_edges tenuto.edge[];
  v_org_id uuid;
  v_group int;
begin
  select array_agg((t.route_id, '', t.priority, t.max_attempts, t.max_losses, t.backoff_seconds, t.timeout_seconds, t.heartbeat_timeout_seconds,
                    t.optional, t.handler)::tenuto.kind order by o.no),
         array_agg(t.input order by o.no),
         jsonb_agg(jsonb_strip_nulls(jsonb_build_object('task', o.no - 1, 'place', t.place, 'name', t.name, 'limits', t.limits, 'queue_job_id', t.queue_job_id,
                    'copy_of', t.id, 'slots', case when t.has_slots then true end)) || jsonb_build_object('metadata', t.metadata)),
         (array_agg(t.org_id))[1], (array_agg(t.group_no))[1]
  into v_kinds, v_inputs, v_details, v_org_id, v_group
  from unnest(p_old) with ordinality o(id, no)
  join tenuto.tasks t on t.id = o.id;

  select array_agg((f.no - 1, c.no - 1, d.runs_on)::tenuto.edge)
  into v_edges
  from unnest(p_old) with ordinality c(id, no)
  join tenuto.task_dependencies d on d.child_id = c.id
  join unnest(p_old) with ordinality f(id, no) on f.id = d.parent_id;

  -- Edges to and from tasks that are over: nothing waits for them, but they show the graph, and what its sinks are.
  insert into tenuto.task_dependencies (parent_id, child_id, org_id, runs_on)
  select coalesce(f.new, d.parent_id), c.new, d.org_id, d.runs_on
  from unnest(p_old || p_moved_from, p_new || p_moved_to) with ordinality c(old, new, no)
  join tenuto.task_dependencies d on d.child_id = c.old
  left join unnest(p_old || p_moved_from, p_new || p_moved_to) with ordinality f(old, new, no) on f.old = d.parent_id
  where (c.no <= cardinality(p_old)) <> coalesce(f.no <= cardinality(p_old), false)
    and (f.new is not null or exists (select from tenuto.tasks t where t.id = d.parent_id and t.run_id = p_run_id));

  insert into tenuto.task_slots (task_id, direction, position, org_id, type, value, object_id, source_task_id, source_position)
  select p_new[o.no], s.direction, s.position, s.org_id, s.type, s.value, s.object_id, coalesce(m.new, s.source_task_id), s.source_position
  from unnest(p_old) with ordinality o(id, no)
  join tenuto.task_slots s on s.task_id = o.id
  left join unnest(p_old || p_moved_from, p_new || p_moved_to) m(old, new) on m.old = s.source_task_id;

  perform tenuto._add_edges(v_org_id, p_new, v_edges);
  return tenuto._add_tasks(v_org_id, case when not p_alone then p_run_id end, p_run_attempt, null, v_group, v_kinds, p_new, v_inputs,
                           array(select generate_series(0, cardinality(p_new) - 1)), v_details, v_edges);
end
$$;
