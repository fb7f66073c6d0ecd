-- Returns how many of the events, counted from the first, are routed together: as many as it takes to make p_limit
-- reactions, or all. Returns at least 1 if there are events.
create or replace function tenuto._fitting_events(p_events tenuto.event_place[], p_limit int)
  returns int
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  with counts as materialized (
    select e.org_id, s.source, (
             select count(*)
             from tenuto._consumers(e.org_id, s.dataset_id, s.dataset_version_id, s.job_key, s.output, s.dag_version_id)
           ) as jobs
    from (select p.org_id, array_agg(p.event_id) as ids from unnest(p_events) p group by p.org_id) e
    cross join lateral tenuto._sources(e.org_id, e.ids) s
  )
  select count(*)::int
  from (
    select sum(coalesce(c.jobs, 0)) over (
             order by p.place rows between unbounded preceding and 1 preceding) as before
    from unnest(p_events) with ordinality p(effect_id, org_id, no, event_id, place)
    left join tenuto.events e on e.id = p.event_id
    left join counts c on c.org_id = p.org_id and c.source = tenuto._source(
      e.dataset_version_id, e.dag_version_id, e.job_key, e.output)) b
  where coalesce(b.before, 0) < p_limit;
$$;
