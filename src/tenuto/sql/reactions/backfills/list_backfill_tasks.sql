-- Returns a page of the tasks of a backfill that have not ended or did not complete, in the order of their ids,
-- starting after p_after. Completed tasks are only counted. direct is false for tasks of other jobs, which the commits
-- of the backfill have started.
create or replace function tenuto.list_backfill_tasks(
  p_org_id uuid, p_id uuid, p_after uuid default null, p_limit int default 50)
  returns table (task_id uuid, job text, partition text, direct boolean, failed boolean, error text)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
begin
  perform tenuto._check_page(p_limit);
  perform tenuto.get_backfill(p_org_id, p_id);
  return query
  select t.task_id, k.input #>> '{job,job}', nullif(t.partition_key, ''), t.direct, t.failed,
         case when t.failed then tenuto._describe_failed_task(t.task_id) end
  from (
    select t.*
    from tenuto.repair_tasks t
    where t.org_id = p_org_id and t.repair_id = p_id and (p_after is null or t.task_id > p_after)
    order by t.task_id
    limit p_limit) t
  left join tenuto.tasks k on k.id = t.task_id
  order by t.task_id;
end
$$;
