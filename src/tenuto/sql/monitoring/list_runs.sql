-- Returns a page of the org's runs, newest first, before an id; or with p_after oldest first, after an id. p_type: runs
-- that began with a task of that type. Open, failed and cancelled runs are found whatever their age. Completed runs,
-- runs of a type, and runs of any status oldest first are looked for among 10,000 from the id on.
create or replace function tenuto.list_runs(
  p_org_id uuid, p_status text default null, p_name text default null, p_type text default null,
  p_before uuid default null, p_limit int default 50, p_after uuid default null)
  returns table (
    id uuid, name text, type text, status text, resource_group text, attempt int, max_attempts int, total_tasks int,
    completed_tasks int, failed_tasks int, cancelled_tasks int, skipped_tasks int, retry_of uuid,
    created_at timestamptz, started_at timestamptz, completed_at timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_ids uuid[];
begin
  perform tenuto._check_page(p_limit);
  if p_status not in ('pending', 'running', 'retrying', 'completed', 'failed', 'cancelled') then
    perform tenuto._raise('TN003', format('%L is not a status of a run', p_status),
      'write pending, running, retrying, completed, failed or cancelled');
  end if;

  if p_after is not null then
    v_ids := array(
      select r.id
      from tenuto.runs r
      where r.org_id = p_org_id and r.id > p_after and (p_name is null or r.name = p_name)
      order by r.id
      limit case when p_status is null and p_type is null then p_limit else 10000 end);
  elsif p_status in ('pending', 'running', 'retrying') then
    v_ids := array(
      select r.id
      from tenuto.runs r
      where r.org_id = p_org_id
        and (p_before is null or r.id < p_before)
        and r.status in ('pending', 'running', 'retrying')
        and (p_name is null or r.name = p_name)
      order by r.id desc
      limit 10000)
      || array(select o.id from tenuto._open_tasks(p_org_id, null, null, p_before, 10000) o where o.single_task);
  elsif p_status in ('failed', 'cancelled') then
    v_ids := array(
      select r.id
      from tenuto.runs r
      where r.org_id = p_org_id
        and (p_before is null or r.id < p_before)
        and r.status = p_status
        and r.status in ('failed', 'cancelled')
        and (p_name is null or r.name = p_name)
      order by r.id desc
      limit 10000)
      || array(select a.id from tenuto._recent_ended_tasks(p_org_id, p_status, p_before, 10000) a);
  else
    v_ids := array(
      select r.id
      from tenuto.runs r
      where r.org_id = p_org_id and (p_before is null or r.id < p_before)
        and (p_name is null or r.name = p_name)
      order by r.id desc
      limit case when p_status is null and p_type is null then p_limit else 10000 end);
  end if;

  return query
  select s.id, s.name, o.type, s.status, s.resource_group, s.attempt, s.max_attempts, s.total_tasks,
         s.completed_tasks, s.failed_tasks, s.cancelled_tasks, s.skipped_tasks, s.retry_of, s.created_at, s.started_at,
         s.completed_at
  from tenuto.run_status s
  left join tenuto.tasks t on t.id = s.id
  left join tenuto.routes o on o.id = t.route_id
  where s.id = any (v_ids)
    and (p_status is null or s.status = p_status)
    and (p_name is null or s.name = p_name)
    and (p_type is null or o.type = p_type)
  order by case when p_after is not null then s.id end, s.id desc
  limit p_limit;
end
$$;
