-- queued -> running, for one task by its id. If the task cannot be claimed, result is the reason: already_running,
-- completed, failed, cancelled, skipped, not_due (the task is delayed, pending, waiting or paused, or its group has
-- reached its quota), not_allowed (the worker is draining or in error) or not_found. Raises TN002 if the session has
-- ended.
create or replace function tenuto.claim_task(
  p_session_id bigint, p_token uuid, p_claim_no bigint, p_task_id uuid, out result text, out task tenuto.claimed)
  language plpgsql
as $$
declare
  v_org_id uuid;
  v_room boolean;
  v_due record;
begin
  perform tenuto._require_read_committed();
  if not tenuto._session_can_claim(p_session_id, p_token) then
    result := 'not_allowed';
    return;
  end if;
  select s.org_id into v_org_id from tenuto.sessions s where s.id = p_session_id;
  perform tenuto._wake_routes(tenuto._try_follow_arrivals(100));
  v_room := tenuto._group_below_quota(p_task_id);

  select r.ctid as tid,
         (select g.external_id <> 'default' from tenuto.resource_groups g where g.no = r.group_no) as grouped
  into v_due
  from tenuto.ready_tasks r
  join tenuto.routes o on o.id = r.route_id and not o.paused
  where r.id = p_task_id and r.org_id = v_org_id and v_room
  for update of r;
  if found then
    result := 'claimed';
    task := tenuto._take_one(p_session_id, p_claim_no, v_due.tid, p_task_id, v_due.grouped, 33554432);
    return;
  end if;

  select case t.status
           when 'running' then 'already_running'
           when 'completed' then 'completed'
           when 'failed' then 'failed'
           when 'cancelled' then 'cancelled'
           when 'skipped' then 'skipped'
           else 'not_due'
         end
  into result
  from tenuto.task_status t
  where t.id = p_task_id and t.org_id = v_org_id;
  result := coalesce(result, 'not_found');
end
$$;
