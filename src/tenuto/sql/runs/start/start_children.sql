-- -> pending | queued: starts tasks in the run of a running attempt, as children of its task, and returns their ids.
-- Raises TN005 if the session does not hold the attempt, and TN006 if the attempt was asked to stop or its run was
-- cancelled. A worker key can start children only in its own queues, and only with limits of these queues. With
-- p_step_no the start is a step of the parent: a replay returns the recorded children.
create or replace function tenuto.start_children(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_kinds jsonb, p_inputs jsonb[],
  p_ids uuid[] default null, p_task_kinds int[] default null, p_details jsonb default null, p_edges jsonb default null,
  p_step_no int default null, p_step_name text default null, p_wake boolean default true)
  returns uuid[]
  language plpgsql
as $$
declare
  v_parent tenuto.running_tasks := tenuto._lock_attempt(p_session_id, p_token, p_task_id, p_attempt, true);
  v_kinds tenuto.task_spec[];
  v_edges tenuto.edge[];
  v_ids uuid[];
  v_recorded jsonb;
begin
  if exists (
    select from tenuto.runs r
    where r.id = v_parent.run_id and r.cancel_requested_at is not null and r.pending_status is null) then
    -- The tasks of a large run are marked in several transactions: this task may not be marked yet.
    perform tenuto._raise('TN006', format('run %s was cancelled', v_parent.run_id));
  end if;
  select s.value into v_recorded from tenuto.task_steps s where s.task_id = p_task_id and s.step_no = p_step_no;
  if found then
    perform tenuto._write_step(p_task_id, p_attempt, v_parent.org_id, p_step_no, p_step_name, 'child', v_recorded);
    return array(select c::uuid from jsonb_array_elements_text(v_recorded) c);
  end if;
  if jsonb_path_exists(p_kinds, '$[*].inherit') then
    select i.p_kinds, i.p_details
    into p_kinds, p_details
    from tenuto._apply_declared_options(v_parent.org_id, p_task_kinds, p_inputs, p_kinds, p_details) i;
  end if;
  v_kinds := tenuto._read_kinds(v_parent.org_id, p_kinds);
  perform tenuto._check_child_queues(p_session_id, v_kinds, p_details);
  if exists (select from unnest(v_kinds) k where k.handler is not null) then
    perform tenuto._raise('TN003', 'a child cannot be a handler of the run', 'pass handlers to start_run');
  end if;
  v_ids := tenuto._check_batch(p_ids, p_inputs, p_task_kinds, p_details, v_kinds);
  v_edges := tenuto._read_edges(p_edges, p_details, cardinality(v_ids));
  if p_step_no is not null then
    perform tenuto._write_step(p_task_id, p_attempt, v_parent.org_id, p_step_no, p_step_name, 'child', to_jsonb(v_ids));
  end if;

  insert into tenuto.task_parents (id, org_id, open) values (p_task_id, v_parent.org_id, cardinality(v_ids))
  on conflict (id) do update set open = task_parents.open + excluded.open;
  perform tenuto._add_edges(v_parent.org_id, v_ids, v_edges);
  perform tenuto._add_slots(v_parent.org_id, v_parent.run_id, v_ids, p_details, null);
  perform tenuto._make_ready(tenuto._add_tasks(
    v_parent.org_id, v_parent.run_id, (select run_attempt from tenuto.tasks where id = p_task_id), p_task_id,
    v_parent.group_no, v_kinds, v_ids, p_inputs, p_task_kinds, p_details, v_edges));
  perform tenuto._add_run_total(v_parent, cardinality(v_ids));
  if p_wake then
    perform tenuto._wake(queue) from unnest(v_kinds) group by queue;
  end if;
  return v_ids;
end
$$;
