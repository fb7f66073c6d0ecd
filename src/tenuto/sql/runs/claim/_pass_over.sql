-- Makes claims of a lane begin after a ready task that cannot be removed, for example because its row is damaged.
-- Raises the floor of the lane, and moves the tasks before the damaged one to the end of the lane. move_floors lowers
-- the floor again, so the task is tried again every few seconds.
create or replace function tenuto._pass_over(p_route_id int, p_group_no int, p_priority int, p_seq bigint)
  returns void
  language plpgsql
as $$
declare
  v_before tenuto.queued_task[];
begin
  with before as materialized (
    select q.ctid as tid
    from tenuto.ready_lanes l
    join tenuto.ready_tasks q on q.route_id = l.route_id and q.group_no = l.group_no and q.priority = l.priority
    where l.route_id = p_route_id and l.group_no = p_group_no and l.priority = p_priority
      and q.seq >= l.floor and q.seq < p_seq
    for update of q skip locked
  ), moved as (
    delete from tenuto.ready_tasks where ctid = any (array(select b.tid from before b)) returning *
  )
  select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task order by seq)
  into v_before
  from moved;
  if v_before is not null then
    perform tenuto._enqueue_ready(v_before);
  end if;
  update tenuto.ready_lanes l
  set floor = p_seq + 1
  where l.route_id = p_route_id and l.group_no = p_group_no and l.priority = p_priority and l.floor <= p_seq;
end
$$;
