-- Returns how many partitions in p_keys, counted from the first, a build can process in one transaction that starts at
-- most p_limit tasks. Returns at least 1, even if the map makes more than p_limit partitions of the first one.
create or replace function tenuto._fitting_partitions(p_input tenuto.build_inputs, p_keys text[], p_limit int)
  returns int
  language sql
  stable
as $$
  select greatest(1, count(*) filter (where f.tasks <= p_limit))::int
  from (
    select sum(coalesce(cardinality(tenuto._map_partition(k.key, i.definition -> 'map')), 0)) over (order by k.no)
             as tasks
    from unnest(p_keys) with ordinality k(key, no)
    left join tenuto.job_inputs i on i.org_id = p_input.org_id and i.job_id = p_input.job_id and i.no = p_input.input
  ) f;
$$;
