-- Returns an org's runs that match a filter and have ids before p_before, newest first, at most p_limit. p_status: a
-- status, or open (not ended) or ended. next_before: where to continue; null if there are no more runs. One call reads
-- at most 10,000 runs, so more runs may match although p_limit is not reached. Open, failed and cancelled runs have
-- indexes and are found at any age. p_metadata: only runs whose metadata contains this object; without other filters,
-- such runs are found at any age. Computes statuses as run_status does, from fewer tables: the view took seconds for
-- 10,000 runs.
create or replace function tenuto._find_runs(
  p_org_id uuid, p_status text, p_name text, p_type text, p_since timestamptz, p_before uuid, p_limit int,
  p_metadata jsonb default null, out ids uuid[], out next_before uuid)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off -- without statistics the planner may read and sort all runs
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_window int := case when p_status is null and p_type is null and (p_name is null or p_metadata is null)
                       then p_limit
                       when p_status in ('open', 'failed', 'cancelled')
                         and num_nonnulls(p_name, p_type, p_metadata) = 0
                       then p_limit
                       else 10000 end;
  v_first uuid := tenuto._uuid7_floor(p_since);
  v_seen uuid[];
  v_statuses text[];   -- of open, failed and cancelled runs
begin
  if p_status in ('pending', 'running', 'retrying', 'open') then
    select array_agg(c.id order by c.id desc), array_agg(c.status order by c.id desc)
    into v_seen, v_statuses
    from (
      select c.id, c.status
      from (
        (select r.id,
                case when r.status = 'pending'
                       and (exists (select from tenuto.running_tasks u where u.run_id = r.id)
                            or exists (select from tenuto.run_counts n
                                       where n.run_id = r.id and n.started_at is not null))
                     then 'running' else r.status end as status
         from tenuto.runs r
         where r.org_id = p_org_id and (p_before is null or r.id < p_before) and (p_since is null or r.id >= v_first)
           and r.status in ('pending', 'running', 'retrying')
         order by r.id desc
         limit v_window)
        union all
        select o.id, case when o.attempt > 0 then 'running' else 'pending' end
        from tenuto._open_tasks(p_org_id, null, null, p_before, v_window, v_first, true) o
      ) c
      order by c.id desc
      limit v_window
    ) c;
  elsif p_status in ('failed', 'cancelled') then
    select array_agg(c.id order by c.id desc), array_agg(p_status)
    into v_seen, v_statuses
    from (
      select c.id
      from (
        (select r.id
         from tenuto.runs r
         where r.org_id = p_org_id and (p_before is null or r.id < p_before) and (p_since is null or r.id >= v_first)
           and r.status = p_status and r.status in ('failed', 'cancelled')
         order by r.id desc
         limit v_window)
        union all
        (select a.task_id
         from tenuto.task_attempts a
         cross join lateral (   -- offset 0: read by id; otherwise the planner may read all runs in result order
           select from tenuto.runs r where r.id = a.task_id and r.single_task offset 0) r
         where a.org_id = p_org_id and a.end_no = 0
           and a.outcome = p_status and a.outcome in ('failed', 'cancelled', 'skipped')
           and (p_before is null or a.task_id < p_before) and (p_since is null or a.task_id >= v_first)
         order by a.task_id desc
         limit v_window)
      ) c
      order by c.id desc
      limit v_window
    ) c;
  elsif p_metadata is not null then
    v_seen := tenuto._find_by_metadata('run', p_org_id, p_metadata, v_first, p_before, v_window);
  else
    v_seen := array(
      select r.id
      from tenuto.runs r
      where r.org_id = p_org_id and (p_before is null or r.id < p_before) and (p_since is null or r.id >= v_first)
        and (p_name is null or r.name = p_name)
      order by r.id desc
      limit v_window);
  end if;

  ids := tenuto._filter_runs(v_seen, v_statuses, p_status, p_name, p_type, p_metadata, p_limit);
  next_before := case when cardinality(ids) = p_limit then ids[p_limit]
                      when cardinality(v_seen) = v_window then v_seen[v_window] end;
end
$$;
