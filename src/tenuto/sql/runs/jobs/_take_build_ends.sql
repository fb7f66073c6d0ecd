-- Processes the ended tasks among the next p_limit tasks of a build, after the task p_after. Deletes the entries of
-- tasks that completed and whose events are routed. Marks tasks that ended in another way, or whose events cannot be
-- routed, as failed. Returns how many tasks completed and how many failed; the last task that was checked, if there may
-- be more tasks; a description of the failed task with the lowest id; and whether a rollback cancelled one of the
-- tasks.
create or replace function tenuto._take_build_ends(
  p_org_id uuid, p_version_id uuid, p_after uuid, p_limit int, out completed int, out failed int, out last uuid,
  out error text, out rolled_back boolean)
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_looked uuid[] := array(
    select b.task_id
    from tenuto.build_tasks b
    where b.dag_version_id = p_version_id and not b.failed and (p_after is null or b.task_id > p_after)
    order by b.task_id
    limit p_limit);
  v_ended record;
begin
  select array_agg(e.task_id) filter (where e.completed) as completed,
         array_agg(e.task_id order by e.task_id) filter (where not e.completed) as failed,
         coalesce(bool_or(e.rolled_back), false) as rolled_back
  into v_ended
  from tenuto._job_task_ends(p_org_id, v_looked) e;

  delete from tenuto.build_tasks where dag_version_id = p_version_id and task_id = any (v_ended.completed);
  update tenuto.build_tasks set failed = true where dag_version_id = p_version_id and task_id = any (v_ended.failed);
  completed := coalesce(cardinality(v_ended.completed), 0);
  failed := coalesce(cardinality(v_ended.failed), 0);
  rolled_back := v_ended.rolled_back;
  last := case when cardinality(v_looked) = p_limit then v_looked[p_limit] end;
  error := tenuto._describe_failed_task(v_ended.failed[1]);
end
$$;
