-- -> queued: the fast path of start_many, for one task with only an input, of a valid kind whose route exists. Returns
-- the queue of the task. Returns null if the fast path cannot start the task: the caller then takes the slow path,
-- which raises the error or creates the route. The fast path needs a third of the slow path's statements, and on an
-- idle system a third of its time. p_alone: the call is known not to be part of a client's transaction.
create or replace function tenuto._start_single_task(
  p_org_id uuid, p_kind jsonb, p_input jsonb, p_id uuid, p_group text, p_alone boolean default false)
  returns text
  language plpgsql
  set jit = off
as $$
declare
  v_kind tenuto.task_spec;
  v_group int;
  v_declared record;
  v_has_lane boolean;
  v_flags constant smallint := tenuto._flags(true, false, false, false);
  v_seq bigint := nextval('tenuto.ready_seq') << 20;
begin
  if jsonb_typeof(p_kind) <> 'object' or starts_with(p_kind ->> 'type', 'tenuto.') then
    return null;
  end if;
  if p_kind ? 'inherit' then
    select t.kind, t.limits into v_declared
    from tenuto.task_types t
    where t.org_id = p_org_id and t.type = p_kind ->> 'type' and p_kind -> 'inherit' = 'true';
    if v_declared.limits is not null then
      return null;
    end if;
    p_kind := coalesce(v_declared.kind, '{}') || (p_kind - 'inherit');
  end if;
  -- A separate query, because most kinds have only a type, and reading the other options takes half of the time.
  if p_kind - 'type' = '{}' and pg_column_size(p_input) < 100000 then
    select g.no, exists (
             select from tenuto.ready_lanes l
             where l.route_id = r.id and l.group_no = g.no and l.priority = 0
               and (l.empty_since is null or l.empty_since > tenuto.now() - interval '30 seconds')),
           r.id, r.queue, 0, 3, 2, false
    into v_group, v_has_lane, v_kind.route_id, v_kind.queue, v_kind.priority, v_kind.max_attempts,
         v_kind.backoff_seconds, v_kind.optional
    from tenuto.routes r, tenuto.resource_groups g
    where r.org_id = p_org_id
      and r.type = p_kind ->> 'type'
      and r.queue = 'default' and r.language = 'python'
      and r.labels = '{}' and r.addresses = '{}' and r.blocked_versions = '{}'
      and g.org_id = p_org_id and g.external_id = coalesce(p_group, 'default') and g.deleted_at is null;
  else
    begin
      select g.no, exists (
               select from tenuto.ready_lanes l
               where l.route_id = r.id and l.group_no = g.no and l.priority = coalesce(k.priority, 0)
                 and (l.empty_since is null or l.empty_since > tenuto.now() - interval '30 seconds')),
             r.id, r.queue, coalesce(k.priority, 0), coalesce(k.max_attempts, 3), k.max_losses,
             coalesce(k.backoff_seconds, 2), k.timeout_seconds, k.heartbeat_timeout_seconds, coalesce(k.optional, false)
      into v_group, v_has_lane, v_kind.route_id, v_kind.queue, v_kind.priority, v_kind.max_attempts, v_kind.max_losses,
           v_kind.backoff_seconds, v_kind.timeout_seconds, v_kind.heartbeat_timeout_seconds, v_kind.optional
      from jsonb_to_record(p_kind) as k(
             type text, queue text, language text, labels text[], priority int, max_attempts int, max_losses int,
             backoff_seconds real, timeout_seconds real, heartbeat_timeout_seconds real, optional boolean),
           tenuto.routes r, tenuto.resource_groups g
      where pg_column_size(p_input) < 100000
        and p_kind - array['type', 'queue', 'language', 'labels', 'priority', 'max_attempts', 'max_losses',
                           'backoff_seconds', 'timeout_seconds', 'heartbeat_timeout_seconds', 'optional'] = '{}'
        and r.org_id = p_org_id
        and r.type = k.type
        and r.queue = coalesce(k.queue, 'default')
        and r.language = coalesce(k.language, 'python')
        and r.labels = coalesce(k.labels, '{}') and r.addresses = '{}' and r.blocked_versions = '{}'
        and g.org_id = p_org_id and g.external_id = coalesce(p_group, 'default') and g.deleted_at is null
        and coalesce(k.max_attempts between 1 and 100, true) and coalesce(k.max_losses between 1 and 1000, true)
        and coalesce(k.backoff_seconds between 0 and 315360000, true)
        and coalesce(k.timeout_seconds > 0 and k.timeout_seconds <= 315360000, true)
        and coalesce(k.heartbeat_timeout_seconds > 0 and k.heartbeat_timeout_seconds <= 315360000, true);
    exception when data_exception or invalid_text_representation then
      return null;
    end;
  end if;
  if v_group is null then
    return null;
  end if;

  with run as (
    insert into tenuto.runs (id, org_id, group_no, single_task, created_at)
    values (p_id, p_org_id, v_group, true, tenuto.now())
  ), record as (
    insert into tenuto.tasks (id, org_id, run_id, created_at, route_id, group_no, priority, place, backoff_seconds,
      timeout_seconds, heartbeat_timeout_seconds, max_attempts, max_losses, run_attempt, optional, has_slots, input)
    values (p_id, p_org_id, p_id, tenuto.now(), v_kind.route_id, v_group, v_kind.priority, 0, v_kind.backoff_seconds,
      v_kind.timeout_seconds, v_kind.heartbeat_timeout_seconds, v_kind.max_attempts, v_kind.max_losses, 1,
      v_kind.optional, false, p_input)
  )
  insert into tenuto.ready_tasks (seq, queued_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags)
  values (v_seq + 1, tenuto.now(), p_id, p_org_id, p_id, v_kind.route_id, v_group, v_kind.priority, 0, v_flags);

  if not v_has_lane or not p_alone and tenuto._in_transaction() then   -- as in _announce_lanes
    perform tenuto._announce_lanes(
      array[(null, p_org_id, null, v_kind.route_id, v_group, v_kind.priority, 0, 0)::tenuto.queued_task], v_seq);
  end if;
  return v_kind.queue;
end
$$;
