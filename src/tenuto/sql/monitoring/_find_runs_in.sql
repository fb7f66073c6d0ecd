-- Does what _find_runs does, for several statuses: returns the runs with an id before p_before that were created from
-- p_since to p_until, have one of p_statuses (null: any status) and match the filter, newest first. Searches each
-- status on its own, because each has its own index. If some of these searches stop early, the page ends at the newest
-- run where one of them stopped. The next page continues after this run (next_before), so that no run is left out.
create or replace function tenuto._find_runs_in(
  p_org_id uuid, p_statuses text[], p_name text, p_type text, p_since timestamptz, p_until timestamptz, p_before uuid,
  p_limit int, p_metadata jsonb default null, out ids uuid[], out next_before uuid)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  with found as materialized (
    select f.ids, f.next_before
    from unnest(coalesce(p_statuses, array[null])) s(status)
    cross join lateral tenuto._find_runs(p_org_id, s.status, p_name, p_type, p_since,
      least(p_before, tenuto._uuid7_floor(p_until)), p_limit, p_metadata) f
  ), stop as materialized (
    select f.next_before from found f where f.next_before is not null order by 1 desc limit 1
  )
  select array(
           select i
           from found f, unnest(f.ids) i
           where i >= coalesce((select s.next_before from stop s), '00000000-0000-0000-0000-000000000000')
           order by i desc
           limit p_limit),
         (select s.next_before from stop s);
$$;
