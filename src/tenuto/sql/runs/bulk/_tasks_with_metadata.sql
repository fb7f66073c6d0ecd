-- Returns an org's tasks whose metadata contains p_metadata, with ids from p_first to before p_before, in the periods
-- p_periods (null: all). The tasks are in no particular order. complete: false if there are more than p_limit such
-- tasks.
create or replace function tenuto._tasks_with_metadata(
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
      select t.id
      from tenuto.tasks t
      where t.metadata @> p_metadata
        and (p_periods is null or tenuto._period(t.id) && p_periods)
        and t.org_id = p_org_id and t.id < p_before and (p_first is null or t.id >= p_first)
        and not exists (select from tenuto.task_metadata m where m.task_id = t.id)
      union all
      select m.task_id
      from tenuto.task_metadata m
      where m.metadata @> p_metadata
        and (p_periods is null or tenuto._period(m.task_id) && p_periods)
        and m.org_id = p_org_id and m.task_id < p_before and (p_first is null or m.task_id >= p_first)
    ) f
    limit p_limit + 1);
  complete := cardinality(ids) <= p_limit;
end
$$;
