-- Returns the tasks of a run or of the org that match a filter, newest first: at most p_limit, with ids of at least
-- p_first and before p_before. next_before: pass it as p_before to continue; null if there are no more tasks. With
-- p_run_id, one call checks the whole run; otherwise it checks at most 10,000 tasks, of the job with p_job_key or of
-- the whole org without it. Failed, cancelled and skipped tasks, and tasks that have not ended, have indexes and are
-- found whatever their age. p_metadata: returns only tasks whose metadata contains this object. With no other filter,
-- these tasks are found whatever their age.
create or replace function tenuto._find_tasks(
  p_org_id uuid, p_run_id uuid, p_status text, p_routes int[], p_first uuid, p_before uuid, p_limit int,
  p_metadata jsonb default null, p_job_key uuid default null, out ids uuid[], out next_before uuid)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_window int := case when p_routes is null and p_status is null and (p_job_key is null or p_metadata is null)
                       then p_limit
                       when p_routes is null and p_metadata is null and p_status in ('failed', 'cancelled', 'skipped')
                         and p_job_key is null
                       then p_limit
                       else 10000 end;
  v_seen uuid[];
begin
  if p_run_id is not null then
    v_seen := array(
      select t.id
      from tenuto._run_tasks(p_run_id) t
      left join tenuto.task_metadata m on p_metadata is not null and m.task_id = t.id
      where t.org_id = p_org_id
        and (p_before is null or t.id < p_before)
        and (p_first is null or t.id >= p_first)
        and (p_routes is null or t.route_id = any (p_routes))
        and (p_metadata is null or coalesce(m.metadata, t.metadata) @> p_metadata)
        and (p_job_key is null
          or exists (select from tenuto.job_tasks j where j.task_id = t.id and j.job_key = p_job_key))
      order by t.id desc
      limit case when p_status is null then p_limit end);
    v_window := null;
    ids := array(
      select i from unnest(v_seen) i
      where p_status is null or i in (select s from tenuto._tasks_with_status(v_seen, p_status) s)
      order by i desc
      limit p_limit);
  elsif p_job_key is not null then
    v_seen := array(select j.task_id from tenuto._list_job_tasks(p_org_id, p_job_key, p_first, p_before, v_window) j);
  elsif p_status in ('pending', 'queued', 'running', 'retrying', 'waiting') then
    v_window := case when p_metadata is null then p_limit else 10000 end;
    v_seen := array(
      select o.id
      from tenuto._open_tasks(p_org_id, p_status, p_routes, p_before, v_window, p_first) o
      order by o.id desc
      limit v_window);
    ids := v_seen;
  elsif p_status in ('failed', 'cancelled', 'skipped') then
    v_seen := array(
      select a.id
      from tenuto._recent_ended_tasks(p_org_id, p_status, p_before, v_window) a
      where p_first is null or a.id >= p_first);
  elsif p_metadata is not null then
    v_seen := tenuto._find_by_metadata('task', p_org_id, p_metadata, p_first, p_before, v_window);
  else
    v_seen := array(
      select t.id
      from tenuto.tasks t
      where t.org_id = p_org_id
        and (p_before is null or t.id < p_before)
        and (p_first is null or t.id >= p_first)
      order by t.id desc
      limit v_window);
  end if;

  if p_run_id is null and (ids is null or p_metadata is not null) then
    ids := array(
      select i
      from unnest(v_seen) i
      cross join lateral (   -- one look-up per id: a merge join would read the tasks of other orgs
        select t.route_id, t.metadata from tenuto.tasks t where t.id = i limit 1
      ) t
      left join tenuto.task_metadata m on p_metadata is not null and m.task_id = i
      where (p_routes is null or t.route_id = any (p_routes))
        and (p_status is distinct from 'completed' and (p_job_key is null or p_status is null)
          or i in (select s from tenuto._tasks_with_status(v_seen, p_status) s))
        and (p_metadata is null or coalesce(m.metadata, t.metadata) @> p_metadata)
      order by i desc
      limit p_limit);
  end if;
  next_before := case when cardinality(ids) = p_limit then ids[p_limit]
                      when cardinality(v_seen) >= v_window then v_seen[cardinality(v_seen)] end;
end
$$;
