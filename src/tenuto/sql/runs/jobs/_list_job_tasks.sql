-- Returns tasks of a job with ids from p_first to before p_before, newest first. With p_after, returns the tasks after
-- p_after, oldest first.
create or replace function tenuto._list_job_tasks(
  p_org_id uuid, p_job_key uuid, p_first uuid, p_before uuid, p_limit int, p_after uuid default null)
  returns table (task_id uuid)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off -- reads job_tasks_job_idx in order, regardless of the statistics
  set enable_bitmapscan = off
  set enable_sort = off
  set jit = off
as $$
begin
  if p_after is null then
    return query
    select j.task_id
    from tenuto.job_tasks j
    where j.org_id = p_org_id
      and j.job_key = p_job_key
      and (p_first is null or j.task_id >= p_first)
      and (p_before is null or j.task_id < p_before)
    order by j.task_id desc
    limit p_limit;
  else
    return query
    select j.task_id
    from tenuto.job_tasks j
    where j.org_id = p_org_id
      and j.job_key = p_job_key
      and j.task_id > p_after
      and (p_first is null or j.task_id >= p_first)
      and (p_before is null or j.task_id < p_before)
    order by j.task_id
    limit p_limit;
  end if;
end
$$;
