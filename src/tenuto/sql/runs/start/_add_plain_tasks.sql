-- -> queued, a faster form of _add_tasks for tasks of one kind that have only an input and are ready at once. Makes two
-- plain inserts instead of one statement that could put each task into any table. This is 40 % cheaper and covers most
-- bulk starts.
create or replace function tenuto._add_plain_tasks(
  p_org_id uuid, p_run_id uuid, p_run_attempt int, p_parent_id uuid, p_group_no int, p_kind tenuto.task_spec,
  p_ids uuid[], p_inputs jsonb[], p_first_place int default 0)
  returns void
  language plpgsql
  set jit = off
as $$
declare
  v_seq bigint := nextval('tenuto.ready_seq') << 20;
  v_flags smallint := tenuto._flags(p_run_id is null, false, p_parent_id is not null, false);
begin
  insert into tenuto.tasks (id, org_id, run_id, parent_id, created_at, route_id, group_no, priority, place,
    backoff_seconds, timeout_seconds, heartbeat_timeout_seconds, max_attempts, max_losses, run_attempt, optional,
    has_slots, input)
  select s.id, p_org_id, coalesce(p_run_id, s.id), p_parent_id, tenuto.now(), k.route_id, p_group_no, k.priority,
         case when p_run_id is null then 0 else p_first_place + s.no - 1 end, k.backoff_seconds, k.timeout_seconds,
         k.heartbeat_timeout_seconds, k.max_attempts, k.max_losses, p_run_attempt, k.optional, false, s.input
  from (select (p_kind).* offset 0) k, unnest(p_ids, p_inputs) with ordinality as s(id, input, no);

  insert into tenuto.ready_tasks (seq, queued_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags)
  select v_seq + s.no, tenuto.now(), s.id, p_org_id, coalesce(p_run_id, s.id), p_kind.route_id, p_group_no,
         p_kind.priority, 0, v_flags
  from unnest(p_ids) with ordinality as s(id, no);

  perform tenuto._announce_lanes(
    array[(null, p_org_id, null, p_kind.route_id, p_group_no, p_kind.priority, 0, 0)::tenuto.queued_task],
    v_seq,
    cardinality(p_ids) >= 1000);
end
$$;
