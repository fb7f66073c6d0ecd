-- delayed | retrying -> queued, for tasks whose time has come. With p_keys, processes only these tasks, even if they
-- are parked.
create or replace function tenuto.promote_due(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
  set lock_timeout = '1s'
as $$
declare
  v_parked uuid[] := tenuto._parked('promote_due', p_keys);
  v_floors tenuto.due_floors := tenuto._due_floors(p_keys);
  v_queued tenuto.queued_task[];
begin
  with due as materialized (
    select d.ctid as tid
    from tenuto.delayed_tasks d
    where d.available_at between v_floors.available_at and tenuto.now()
      and (p_keys is null or d.id = any (p_keys::uuid[]))
      and d.id <> all (v_parked)
    order by d.available_at, d.id
    limit p_limit
    for update skip locked
  ), gone as (
    delete from tenuto.delayed_tasks where ctid = any (array(select tid from due)) returning *
  )
  select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task
                   order by available_at, id)
  into v_queued from gone;
  if v_queued is not null then
    perform tenuto._make_ready(v_queued);
    perform tenuto._wake_queued(v_queued);
  end if;
  return coalesce(cardinality(v_queued), 0);
end
$$;
