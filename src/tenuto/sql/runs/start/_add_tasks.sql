-- -> pending | queued: writes the tasks of a start and puts each into its table: pending, delayed or ready. Tasks with
-- limits or slots that are neither pending nor delayed are returned instead: the caller makes them ready, as its last
-- step. If p_run_id is null, every task is a single-task run. p_held: tasks that depend on no other task wait until the
-- run is released. Columns are passed as arrays, and only rare options as JSON (p_details): parsing a JSON object per
-- task costs half as much as inserting the task.
create or replace function tenuto._add_tasks(
  p_org_id uuid, p_run_id uuid, p_run_attempt int, p_parent_id uuid, p_group_no int,
  p_kinds tenuto.task_spec[], p_ids uuid[], p_inputs jsonb[], p_task_kinds int[], p_details jsonb,
  p_edges tenuto.edge[], p_first_place int default 0, p_held boolean default false)
  returns tenuto.queued_task[]
  language plpgsql
  set jit = off
as $$
declare
  v_seq bigint := nextval('tenuto.ready_seq') << 20;
  v_special tenuto.queued_task[];
  v_lanes tenuto.queued_task[];
begin
  if p_details is null and p_edges is null and cardinality(p_kinds) = 1 and (p_kinds[1]).handler is null
     and not p_held then
    perform tenuto._add_plain_tasks(p_org_id, p_run_id, p_run_attempt, p_parent_id, p_group_no, p_kinds[1], p_ids,
      p_inputs, p_first_place);
    return null;
  end if;

  with degree as materialized (
    select no, sum(behind)::int as behind, sum(ahead) as ahead
    from (
      select to_no as no, 1 as behind, 0 as ahead from unnest(p_edges)
      union all
      select from_no, 0, 1 from unnest(p_edges)) d
    group by no
  ), spec as materialized (
    select s.no, s.id, s.input, d.name,
           coalesce(d.place, case when p_run_id is null then 0 else p_first_place + s.no - 1 end) as place, d.limits,
           d.metadata, d.queue_job_id, d.copy_of, k.max_attempts, k.max_losses, k.backoff_seconds,
           k.timeout_seconds, k.heartbeat_timeout_seconds, k.optional, k.handler, k.route_id,
           coalesce(d.priority, k.priority) as priority,
           coalesce(d.available_at, tenuto.now() + make_interval(secs => d.delay_seconds)) as available_at,
           coalesce(p_run_id, s.id) as run_id,
           d.slots is not null or d.outputs is not null as has_slots,
           p_held and coalesce(e.behind, 0) = 0 and k.handler is null as held,
           coalesce(e.behind, 0) + (k.handler is not null or p_held and coalesce(e.behind, 0) = 0)::int as remaining,
           tenuto._flags(
             p_run_id is null, coalesce(e.ahead, 0) > 0, p_parent_id is not null, d.limits is not null,
             d.job is not null) as flags
    from unnest(p_ids, p_inputs, p_task_kinds) with ordinality as s(id, input, kind, no)
    join unnest(p_kinds) with ordinality as k(
      route_id, queue, priority, max_attempts, max_losses, backoff_seconds, timeout_seconds,
      heartbeat_timeout_seconds, optional, handler, no) on k.no = coalesce(s.kind, 0) + 1
    left join jsonb_to_recordset(p_details) as d(
      task int, place int, name text, priority int, available_at timestamptz, delay_seconds float, limits jsonb,
      metadata jsonb, queue_job_id text, slots jsonb, outputs jsonb, copy_of uuid, job boolean) on d.task = s.no - 1
    left join degree e on e.no = s.no - 1
  ), record as (
    insert into tenuto.tasks (id, org_id, run_id, parent_id, created_at, available_at, route_id, group_no, priority,
      place, backoff_seconds, timeout_seconds, heartbeat_timeout_seconds, max_attempts, max_losses, run_attempt,
      optional, has_slots, handler, name, input, limits, metadata, queue_job_id, copy_of)
    select id, p_org_id, run_id, p_parent_id, tenuto.now(), available_at, route_id, p_group_no, priority, place,
           backoff_seconds, timeout_seconds, heartbeat_timeout_seconds, max_attempts, max_losses, p_run_attempt,
           optional, has_slots, handler, name, input, limits, metadata, queue_job_id, copy_of
    from spec
  ), ready as (
    insert into tenuto.ready_tasks
      (seq, queued_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags)
    select v_seq + no, tenuto.now(), id, p_org_id, run_id, route_id, p_group_no, priority, 0, flags
    from spec
    where remaining = 0 and limits is null and not has_slots and (available_at is null or available_at <= tenuto.now())
  ), pending as (
    insert into tenuto.pending_tasks
      (available_at, id, org_id, run_id, route_id, group_no, priority, attempt, remaining, flags, handler, held)
    select available_at, id, p_org_id, run_id, route_id, p_group_no, priority, 0, remaining, flags, handler,
           nullif(held, false)
    from spec where remaining > 0
  ), delayed as (
    insert into tenuto.delayed_tasks
      (available_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags, reason)
    select available_at, id, p_org_id, run_id, route_id, p_group_no, priority, 0, flags, 'delay'
    from spec where remaining = 0 and available_at > tenuto.now()
  )
  select (select array_agg(
            (id, p_org_id, run_id, route_id, p_group_no, priority, 0, flags)::tenuto.queued_task order by no)
          from spec
          where (limits is not null or has_slots)
            and remaining = 0
            and (available_at is null or available_at <= tenuto.now())),
         (select array_agg((null, p_org_id, null, l.route_id, p_group_no, l.priority, 0, 0)::tenuto.queued_task)
          from (select distinct route_id, priority from spec) l)
  into v_special, v_lanes;
  perform tenuto._announce_lanes(v_lanes, v_seq, cardinality(p_ids) >= 1000);
  return v_special;
end
$$;
