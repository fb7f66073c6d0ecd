-- Returns a running task, with the attempt and session that hold it. p_worker_key_id: only if a session of this key
-- holds the task. Raises TN001 if the task is not held. If the slots have more than 32 MB together, returns {"$fetch":
-- number of slots} instead of them, and get_inputs returns their values.
create or replace function tenuto.get_held_task(p_org_id uuid, p_task_id uuid, p_worker_key_id uuid default null)
  returns table (
    task_id uuid, attempt int, session_id bigint, run_id uuid, type text, input jsonb, slots jsonb,
    timeout_seconds real, metadata jsonb, idempotency_key uuid, cancelled boolean, failures int)
  language plpgsql
  stable
as $$
begin
  return query
  select r.id, r.attempt, r.session_id, r.run_id, o.type, t.input,
         case when t.has_slots then tenuto._task_slot_values(t.id, 33554432) end, t.timeout_seconds, t.metadata,
         coalesce(t.root_id, t.id), r.cancel, (tenuto._count_failures(t.id)).failures
  from tenuto.running_tasks r
  join tenuto.tasks t on t.id = r.id
  join tenuto.routes o on o.id = r.route_id
  join tenuto.sessions s on s.id = r.session_id
  where r.id = p_task_id
    and r.org_id = p_org_id
    and (p_worker_key_id is null or s.worker_key_id = p_worker_key_id);
  if not found then
    perform tenuto._raise('TN001', format('this session does not hold task %s', p_task_id));
  end if;
end
$$;
