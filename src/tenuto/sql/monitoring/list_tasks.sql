-- Returns a page of tasks of a run or of the org, newest first, before an id; or with p_after oldest first, after an
-- id. A search reads at most 10,000 rows: with a queue or type, that many ended tasks; for completed tasks, and for any
-- filter with p_after, that many tasks from the id on, or the whole run.
create or replace function tenuto.list_tasks(
  p_org_id uuid, p_run_id uuid default null, p_status text default null, p_queue text default null,
  p_type text default null, p_before uuid default null, p_limit int default 50, p_after uuid default null)
  returns table (
    id uuid, run_id uuid, parent_id uuid, "position" int, name text, queue text, type text, labels text[], priority int,
    status text, attempt int, failures int, losses int, max_attempts int, error jsonb, progress real, message text,
    worker_id text, created_at timestamptz, available_at timestamptz, next_retry_at timestamptz, started_at timestamptz,
    completed_at timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_routes int[];
  v_ids uuid[];
begin
  perform tenuto._check_page(p_limit);
  if p_status not in ('pending', 'queued', 'running', 'retrying', 'waiting', 'completed', 'failed', 'cancelled',
    'skipped') then
    perform tenuto._raise('TN003', format('%L is not a status of a task', p_status),
      'write pending, queued, running, retrying, waiting, completed, failed, cancelled or skipped');
  end if;
  if p_queue is not null or p_type is not null then
    v_routes := array(select o.id from tenuto.routes o
                      where o.org_id = p_org_id
                        and (p_queue is null or o.queue = p_queue)
                        and (p_type is null or o.type = p_type));
  end if;

  if p_run_id is not null then
    v_ids := array(
      select t.id from tenuto._run_tasks(p_run_id) t
      where t.org_id = p_org_id and (p_before is null or t.id < p_before) and (p_after is null or t.id > p_after)
        and (v_routes is null or t.route_id = any (v_routes))
      order by case when p_after is not null then t.id end, t.id desc
      limit case when p_status is null then p_limit end);
  elsif p_after is not null then
    v_ids := array(
      select t.id from (
        select t.id, t.route_id
        from tenuto.tasks t
        where t.org_id = p_org_id and t.id > p_after
        order by t.id
        limit 10000) t
      where v_routes is null or t.route_id = any (v_routes)
      order by t.id
      limit case when p_status is null then p_limit end);
  elsif p_status in ('pending', 'queued', 'running', 'retrying', 'waiting') then
    v_ids := array(select o.id from tenuto._open_tasks(p_org_id, p_status, v_routes, p_before, p_limit) o);
  elsif p_status in ('failed', 'cancelled', 'skipped') then
    v_ids := array(
      select t.id
      from tenuto._recent_ended_tasks(p_org_id, p_status, p_before,
        case when v_routes is null then p_limit else 10000 end) u
      join tenuto.tasks t on t.id = u.id
      where v_routes is null or t.route_id = any (v_routes));
  else
    v_ids := array(
      select t.id from (
        select t.id, t.route_id from tenuto.tasks t
        where t.org_id = p_org_id and (p_before is null or t.id < p_before)
        order by t.id desc
        limit 10000) t
      where v_routes is null or t.route_id = any (v_routes)
      order by t.id desc
      limit case when p_status is null then p_limit end);
  end if;

  return query
  select s.id, s.run_id, s.parent_id, s.position, s.name, s.queue, s.type, s.labels, s.priority, s.status, s.attempt,
         s.failures, s.losses, s.max_attempts::int, tenuto._listed_error(s.error), s.progress, s.message, s.worker_id,
         s.created_at, s.available_at, s.next_retry_at, s.started_at, s.completed_at
  from tenuto.task_status s
  where s.id = any (v_ids)
    and (p_status is null or s.status = p_status)
  order by case when p_after is not null then s.id end, s.id desc
  limit p_limit;
end
$$;
