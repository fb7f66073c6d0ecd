-- Returns the effects of kind route_event that have an event for a job of one of the given DAGs, or that route events
-- which waited for one of these DAGs. These effects must wait, because the DAGs are being changed.
create or replace function tenuto._waiting_effects(
  p_events tenuto.event_place[], p_effects tenuto.outbox[], p_dag_ids uuid[])
  returns bigint[]
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  with waiting as materialized (
    select e.org_id, s.source
    from (select p.org_id, array_agg(p.event_id) as ids from unnest(p_events) p group by p.org_id) e
    cross join lateral tenuto._sources(e.org_id, e.ids) s
    where exists (
      select from tenuto._consumers(
        e.org_id, s.dataset_id, s.dataset_version_id, s.job_key, s.output, s.dag_version_id) c
      where c.dag_id = any (p_dag_ids))
  )
  select array(
    select p.effect_id
    from unnest(p_events) p
    join tenuto.events e on e.id = p.event_id
    join waiting w on w.org_id = p.org_id and w.source = tenuto._source(
      e.dataset_version_id, e.dag_version_id, e.job_key, e.output)
    union
    select o.id from unnest(p_effects) o where tenuto._paused_dag(o) = any (p_dag_ids));
$$;
