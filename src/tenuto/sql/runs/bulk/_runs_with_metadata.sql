-- Returns an org's runs whose metadata contains p_metadata, as _tasks_with_metadata does for tasks. A run without its
-- own metadata has the metadata of the task with which it was started; that task has the id of the run.
create or replace function tenuto._runs_with_metadata(
  p_org_id uuid, p_metadata jsonb, p_first uuid, p_before uuid, p_periods int[], p_limit int,
  out ids uuid[], out complete boolean)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
  set enable_seqscan = off
as $$
begin
  ids := array(
    select f.id
    from (
      select r.id, r.org_id
      from tenuto.runs r
      where r.metadata @> p_metadata and (p_periods is null or tenuto._period(r.id) && p_periods)
      union all
      select t.id, t.org_id
      from tenuto.tasks t
      where t.metadata @> p_metadata and (p_periods is null or tenuto._period(t.id) && p_periods) and t.run_id = t.id
      union all
      select m.task_id, m.org_id
      from tenuto.task_metadata m
      where m.metadata @> p_metadata and (p_periods is null or tenuto._period(m.task_id) && p_periods)
    ) f
    where f.org_id = p_org_id and f.id < p_before and (p_first is null or f.id >= p_first)
    limit p_limit + 1);
  complete := cardinality(ids) <= p_limit;
  ids := array(
    select distinct r.id
    from unnest(ids) f(id)
    join tenuto.runs r on r.id = f.id
    left join tenuto.tasks t on t.id = f.id
    left join tenuto.task_metadata m on m.task_id = f.id
    where coalesce(r.metadata, m.metadata, t.metadata) @> p_metadata);
end
$$;
