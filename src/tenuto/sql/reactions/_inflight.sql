-- Returns how many of the newest 1,000 events of a dataset version are not handled yet, and the time of the oldest of
-- these. An event is not handled yet if it is not routed, or if a task that it started has not ended. p_dag_version_id:
-- the version of the DAG that publishes the dataset version.
create or replace function tenuto._inflight(
  p_org_id uuid, p_dag_version_id uuid, p_dataset_id uuid, p_version_id uuid, out events int,
  out oldest_at timestamptz)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with newest as materialized (
    select e.id, e.created_at
    from tenuto.events e
    where e.org_id = p_org_id and e.dataset_id = p_dataset_id and e.dataset_version_id = p_version_id
    order by e.id desc
    limit 1000
  ), unrouted as materialized (
    select i.id::uuid as id
    from (
      select o.payload
      from tenuto.outbox o
      where o.org_id = p_org_id
        and coalesce(o.payload ->> 'dag_version_id', o.payload ->> 'version') = p_dag_version_id::text
        and o.kind = 'route_event' and o.status in ('pending', 'processing')
      limit 1000) o
    cross join lateral jsonb_array_elements_text(coalesce(o.payload -> 'emitted', o.payload -> 'events')) i(id)
  )
  select count(*)::int, min(n.created_at)
  from newest n
  where n.id in (select u.id from unrouted u)
    or exists (
      select from tenuto.event_reactions r
      where r.event_id = n.id and r.org_id = p_org_id and r.task_id is not null and tenuto._is_open(r.task_id));
$$;
