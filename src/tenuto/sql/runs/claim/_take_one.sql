-- queued -> running, for the one ready row at p_tid. The caller has locked this row. p_grouped: the task is not in the
-- default resource group. Because the id is known, only one partition of the table tasks is opened, which saves a tenth
-- of the cost of claiming one task.
create or replace function tenuto._take_one(
  p_session_id bigint, p_claim_no bigint, p_tid tid, p_id uuid, p_grouped boolean, p_room int)
  returns tenuto.claimed
  language plpgsql
  set plan_cache_mode = force_generic_plan
as $$
declare
  v_claimed tenuto.claimed;
begin
  with taken as (
    delete from tenuto.ready_tasks where ctid = p_tid
    returning seq, queued_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags
  ), queued as materialized (
    select k.*, t.*, tenuto._json_bytes(t.input) + tenuto._json_bytes(t.metadata) as bytes
    from taken k
    cross join lateral (
      select t.input, t.has_slots, t.timeout_seconds, t.heartbeat_timeout_seconds, t.metadata, t.root_id
      from tenuto.tasks t where t.id = p_id limit 1
    ) t
  ), running as (
    insert into tenuto.running_tasks (queued_at, started_at, deadline_at, silent_at, session_id, id, org_id, run_id,
      claim_no, route_id, group_no, priority, attempt, flags, seq)
    select queued_at, tenuto.now(), tenuto.now() + make_interval(secs => timeout_seconds + 5),
           tenuto.now() + make_interval(secs => heartbeat_timeout_seconds), p_session_id, id, org_id, run_id,
           p_claim_no, route_id, group_no, priority, attempt + 1,
           case when p_grouped then flags | 16 else flags end, seq  -- 16: _grouped
    from queued
  )
  select id, attempt + 1, run_id, route_id, case when bytes <= p_room then input end,
         case when has_slots then tenuto._task_slot_values(id, case when bytes <= p_room then p_room else -1 end)
              when bytes > p_room then '{"$fetch": 0}' end,
         timeout_seconds, case when bytes <= p_room then metadata end, root_id
  into v_claimed
  from queued;
  return v_claimed;
end
$$;
