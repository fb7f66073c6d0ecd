-- Returns the runs among p_ids that match a filter of _find_runs, at most p_limit. p_ids are sorted, newest first.
-- p_statuses: the statuses of these runs, if they are known. Reads 200 runs (or p_limit, if it is larger), and then
-- twice as many each time until enough match, because reading 10,000 runs takes 50 ms or more.
create or replace function tenuto._filter_runs(
  p_ids uuid[], p_statuses text[], p_status text, p_name text, p_type text, p_metadata jsonb, p_limit int)
  returns uuid[]
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off    -- read by id, regardless of the statistics
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_found uuid[] := '{}';
  v_from int := 1;
  v_count int := greatest(200, p_limit);
begin
  if p_statuses is not null and num_nonnulls(p_name, p_type, p_metadata) = 0 then   -- no table has to be read
    return array(
      select c.id
      from unnest(p_ids, p_statuses) c(id, status)
      where p_status in (c.status, 'open')
      order by c.id desc
      limit p_limit);
  end if;
  while v_from <= cardinality(p_ids) and cardinality(v_found) < p_limit loop
    v_found := v_found || array(
      select r.id
      from unnest(p_ids[v_from : v_from + v_count - 1], p_statuses[v_from : v_from + v_count - 1]) c(id, status)
      join tenuto.runs r on r.id = c.id
      left join tenuto.tasks t on num_nonnulls(p_type, p_metadata) > 0 and t.id = c.id
      left join tenuto.routes o on o.id = t.route_id
      left join tenuto.task_attempts f on p_status is not null and f.task_id = c.id and f.end_no = 0
      left join tenuto.task_metadata m on p_metadata is not null and m.task_id = c.id
      where (p_name is null or r.name = p_name)
        and (p_type is null or o.type = p_type)
        and (p_metadata is null or coalesce(r.metadata, m.metadata, t.metadata) @> p_metadata)
        and (p_status is null
             or p_status = coalesce(c.status, case when r.single_task then f.outcome else r.status end)
             or (p_status = 'open' and c.status is not null)
             or (p_status = 'ended' and coalesce(r.completed_at, f.ended_at) is not null))
      order by r.id desc
      limit p_limit - cardinality(v_found));
    v_from := v_from + v_count;
    v_count := 2 * v_count;
  end loop;
  return v_found;
end
$$;
