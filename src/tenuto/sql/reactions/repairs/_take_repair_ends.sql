-- Processes the tasks that have ended, among the next p_limit tasks that a repair waits for, starting after p_after.
-- Deletes the rows in repair_tasks of tasks that completed and whose events are routed; marks tasks that ended without
-- completing as failed. Returns the counts per job (ends) and in total. last: the last task that was checked, if there
-- may be more. error: describes the first of the tasks that this call marks as failed, in the order of ids.
create or replace function tenuto._take_repair_ends(
  p_org_id uuid, p_repair_id uuid, p_after uuid, p_limit int, out ends jsonb, out completed int, out failed int,
  out downstream_completed int, out downstream_failed int, out last uuid, out error text)
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_looked uuid[] := array(
    select t.task_id
    from tenuto.repair_tasks t
    where t.repair_id = p_repair_id and not t.failed and (p_after is null or t.task_id > p_after)
    order by t.task_id
    limit p_limit);
  v_completed uuid[];
  v_failed uuid[];
begin
  select array_agg(e.task_id) filter (where e.completed),
         array_agg(e.task_id order by e.task_id) filter (where not e.completed)
  into v_completed, v_failed
  from tenuto._job_task_ends(p_org_id, v_looked) e;
  with forgotten as (
    delete from tenuto.repair_tasks t
    where t.repair_id = p_repair_id and t.task_id = any (v_completed)
    returning t.job_key, t.direct, true as completed
  ), marked as (
    update tenuto.repair_tasks t
    set failed = true
    where t.repair_id = p_repair_id and t.task_id = any (v_failed)
    returning t.job_key, t.direct, false as completed
  ), counts as (
    select e.job_key, e.direct, count(*) filter (where e.completed) as completed,
           count(*) filter (where not e.completed) as failed
    from (select * from forgotten union all select * from marked) e
    group by e.job_key, e.direct
  )
  select coalesce(jsonb_agg(to_jsonb(c)), '[]'),
         coalesce(sum(c.completed) filter (where c.direct), 0), coalesce(sum(c.failed) filter (where c.direct), 0),
         coalesce(sum(c.completed) filter (where not c.direct), 0),
         coalesce(sum(c.failed) filter (where not c.direct), 0)
  into ends, completed, failed, downstream_completed, downstream_failed
  from counts c;
  last := case when cardinality(v_looked) = p_limit then v_looked[p_limit] end;
  error := tenuto._describe_failed_task(v_failed[1]);
end
$$;
