-- queued -> running, for one task by its id. A task that cannot be had answers why: already_running, completed, failed,
-- cancelled, skipped, not_due (delayed, pending, waiting, paused, or its group is at its quota), not_allowed (the worker
-- takes no more) or not_found.
create or replace function tenuto.claim_task(
  p_session_id bigint, p_token uuid, p_claim_no bigint, p_task_id uuid, out answer text, out task tenuto.claimed)
  language plpgsql
as $$
declare
  v_org_id uuid;
  v_room boolean;
begin
  if not tenuto._session_can_claim(p_session_id, p_token) then
    answer := 'not_allowed';
    return;
  end if;
  select s.org_id into v_org_id from tenuto.sessions s where s.id = p_session_id;
  perform tenuto._wake_routes(tenuto._try_follow_arrivals());
  v_room := tenuto._group_below_quota(p_task_id);

  with due as materialized (
    select r.ctid as tid
    from tenuto.ready_tasks r
    join tenuto.routes o on o.id = r.route_id and not o.paused
    where r.id = p_task_id and r.org_id = v_org_id and v_room
    for update of r
  ), taken as (
    delete from tenuto.ready_tasks k
    using tenuto.tasks t
    where k.ctid = any (array(select tid from due)) and t.id = k.id
    returning k.seq, k.queued_at, k.id, k.org_id, k.run_id, k.route_id, k.group_no, k.priority, k.attempt, k.flags,
      t.input, t.has_slots, t.timeout_seconds, t.heartbeat_timeout_seconds, t.metadata
  ), running as (
    insert into tenuto.running_tasks (queued_at, started_at, deadline_at, silent_at, session_id, id, org_id, run_id, claim_no, route_id,
      group_no, priority, attempt, flags, seq)
    select queued_at, tenuto.now(), tenuto.now() + make_interval(secs => timeout_seconds + 5),
           tenuto.now() + make_interval(secs => heartbeat_timeout_seconds), p_session_id, id, org_id, run_id, p_claim_no, route_id,
           group_no, priority, attempt + 1,
           case when exists (select from tenuto.resource_groups g where g.no = group_no and g.external_id = 'default')
                then flags else flags | 16 end,
           seq
    from taken
  )
  select id, attempt + 1, run_id, route_id, input, case when has_slots then tenuto._task_slot_values(id, 33554432) end,
         timeout_seconds, metadata
  into task
  from taken;
  if task.task_id is not null then
    answer := 'claimed';
    return;
  end if;

  task := null;
  select case t.status when 'running' then 'already_running'
                       when 'completed' then 'completed' when 'failed' then 'failed' when 'cancelled' then 'cancelled' when 'skipped' then 'skipped'
                       else 'not_due' end
  into answer
  from tenuto.task_status t
  where t.id = p_task_id and t.org_id = v_org_id;
  answer := coalesce(answer, 'not_found');
end
$$;
