-- Queues OpenLineage events about running attempts of jobs, at most p_limit: START once, with the time of the claim,
-- and RUNNING a minute after the last event was delivered. Claims write nothing for these events. If an attempt ends
-- before this function has queued its START, the START is queued together with the event of its end. The running rows
-- are locked, so that no event is queued after an attempt's last event. Rows that a completion has locked are skipped.
-- With p_keys, processes only these tasks, even if they are parked.
create or replace function tenuto.emit_running(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set lock_timeout = '1s'
as $$
declare
  v_parked text[] := tenuto._parked('emit_running', p_keys);
  v_due record;
  v_count bigint := 0;
begin
  if not exists (select from tenuto.destinations d where d.openlineage) then
    return 0;
  end if;
  for v_due in
    with due as materialized (
      select r.id, r.org_id, r.attempt, d.type, d.at
      from tenuto.running_tasks r
      cross join lateral tenuto._unemitted(r.org_id, r.id, r.attempt, r.started_at) d
      where tenuto._is_job_task(r.flags)
        and tenuto._emits_lineage(r.org_id)
        and (p_keys is null or r.id = any (p_keys::uuid[]))
        and r.id::text <> all (v_parked)
      order by r.id
      limit p_limit
      for key share of r skip locked
    )
    select u.org_id, array_agg(u.id || ':' || u.attempt order by u.id) as keys, count(*) as count,
           array_agg(jsonb_build_object('task_id', u.id, 'attempt', u.attempt,
             'dag', t.input #> '{job,dag}', 'job', t.input #> '{job,job}') order by u.id) as subjects,
           array_agg(jsonb_build_array(jsonb_build_object('type', u.type, 'at', u.at)) order by u.id) as events
    from due u
    join tenuto.tasks t on t.id = u.id
    group by u.org_id
  loop
    perform tenuto._emit_events(v_due.org_id, v_due.keys, v_due.subjects, v_due.events);
    v_count := v_count + v_due.count;
  end loop;
  return v_count;
end
$$;
