-- Removes lanes that have been empty for a minute. Adds lanes that have ready tasks but no row, so that claims see
-- them: a start may have taken so long that its lane was removed meanwhile. Never waits: skips lanes that another
-- transaction has locked. With p_keys, processes only these lanes, as route:group:priority, even if they are parked.
create or replace function tenuto.sweep_lanes(p_keys text[] default null)
  returns table (added bigint, removed bigint)
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
  set lock_timeout = '1s'
as $$
declare
  v_parked text[] := tenuto._parked('sweep_lanes', p_keys);
  v_lanes tenuto.queued_task[];
begin
  with empty as materialized (
    select l.ctid as tid
    from tenuto.ready_lanes l
    where l.empty_since < tenuto.now() - interval '1 minute'
      and (p_keys is null or concat_ws(':', l.route_id, l.group_no, l.priority) = any (p_keys))
      and concat_ws(':', l.route_id, l.group_no, l.priority) <> all (v_parked)
    for update skip locked
  )
  delete from tenuto.ready_lanes l
  where l.ctid = any (array(select tid from empty))
    and not exists (
      select from tenuto.ready_tasks q
      where q.route_id = l.route_id and q.group_no = l.group_no and q.priority = l.priority);
  get diagnostics removed = row_count;

  select array_agg((null, n.org_id, null, n.route_id, n.group_no, n.priority, 0, 0)::tenuto.queued_task)
  into v_lanes
  from tenuto._unseen_lanes() n
  where (p_keys is null or concat_ws(':', n.route_id, n.group_no, n.priority) = any (p_keys))
    and concat_ws(':', n.route_id, n.group_no, n.priority) <> all (v_parked);
  added := case when v_lanes is null then 0 else tenuto._register_lanes(v_lanes) end;
  return next;
end
$$;
