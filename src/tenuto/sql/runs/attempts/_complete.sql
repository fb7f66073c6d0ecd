-- running -> completed, for the attempts that the session holds. Returns only the reports that were rejected. A report
-- is accepted if it deletes the running row. The same call writes history and counts, releases dependents and slots,
-- commits data and queues effects. One index scan over the sorted ids locks the rows in id order. The query plan is
-- fixed: a nested loop over reports and outputs made the call three times as expensive. p_known: the caller has checked
-- the session. p_published: a list of publications per task of a job. A task with a wrong list fails (result refused).
create or replace function tenuto._complete(
  p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[], p_outputs jsonb[], p_effects jsonb,
  p_known boolean default false, p_published jsonb[] default null)
  returns table (task_id uuid, attempt int, result text)
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_nestloop = off
  set jit = off
as $$
declare
  v_attempt int;
  v_ids uuid[];
  v_ended tenuto.ended;
  v_all tenuto.ended;
  v_released record;
  v_queued tenuto.queued_task[];
  v_published tenuto.task_outputs[];
begin
  if not p_known and not tenuto._session_exists(p_session_id, p_token) then
    return query select r.id, r.attempt, 'stale_lease' from unnest(p_task_ids, p_attempts) as r(id, attempt);
    return;
  end if;
  if pg_column_size(p_outputs) > 1048576 then
    perform tenuto._check_outputs(p_task_ids, p_outputs);
  end if;
  if p_published is not null then
    v_published := tenuto._take_publications(p_session_id, p_task_ids, p_attempts, p_published);
  elsif cardinality(p_task_ids) > 1 then
    perform tenuto._lock_running_in_order(p_session_id, p_task_ids, p_attempts);
  end if;
  for v_attempt in select distinct a from unnest(p_attempts) a
  loop
    v_ids := array(select r.id from unnest(p_task_ids, p_attempts) as r(id, attempt) where r.attempt = v_attempt);
    with ended as (
      delete from tenuto.running_tasks t
      where t.id = any (v_ids) and t.attempt = v_attempt and t.session_id = p_session_id
      returning t.id, t.org_id, t.run_id, t.route_id, t.queued_at, t.started_at, t.flags
    ), history as (
      insert into tenuto.task_attempts (task_id, org_id, queued_at, started_at, ended_at, session_id, end_no, attempt,
        outcome, reported, output, route_id)
      select e.id, e.org_id, e.queued_at, e.started_at, tenuto.now(), p_session_id, 0, v_attempt, 'completed', true,
             r.output, e.route_id
      from ended e
      left join (
        select distinct on (u.id) u.id, u.output
        from unnest(p_task_ids, p_attempts, p_outputs) as u(id, attempt, output)
        where p_outputs is not null and u.attempt = v_attempt
        order by u.id
      ) r on r.id = e.id
    ), counts as (
      insert into tenuto.run_counts (run_id, org_id, completed, started_at)
      select e.run_id, e.org_id, count(*), min(e.started_at)
      from ended e
      where not tenuto._is_single_task_run(e.flags)
      group by 1, 2
    )
    select array_agg(e.id),
           array_agg(e.id) filter (where tenuto._has_dependents(e.flags)),
           array_agg(e.id) filter (where tenuto._has_parent(e.flags)),
           array_agg(e.id) filter (where tenuto._has_limits(e.flags)),
           array_agg(e.id) filter (where tenuto._is_job_task(e.flags))
    into v_ended
    from ended e;
    v_all := (v_all.ids || v_ended.ids, v_all.followed || v_ended.followed, v_all.owned || v_ended.owned,
      v_all.limited || v_ended.limited, v_all.jobs || v_ended.jobs);
  end loop;

  if v_all.followed is not null then
    v_released := tenuto._release(v_all.followed, 'completed');
    v_queued := v_released.queued;
    v_all.owned := v_all.owned || v_released.owned;
  end if;
  if v_all.owned is not null then
    v_queued := v_queued || tenuto._notify_parents(v_all.owned);
  end if;
  if v_queued is not null or v_all.limited is not null then
    perform tenuto._make_ready(v_queued, v_all.limited);
  end if;
  if p_effects is not null then
    perform tenuto._publish_effects(v_all.ids, p_effects);
  end if;
  if v_published is not null or v_all.jobs is not null then
    perform tenuto._complete_jobs(v_published, v_all.jobs);
  end if;
  if cardinality(v_all.ids) is distinct from cardinality(p_task_ids) then
    return query
    select r.task_id, r.attempt,
           case when r.result = 'already_accepted'
                     and exists (select from tenuto.task_attempts a
                                 where a.task_id = r.task_id and a.end_no = 0 and tenuto._was_refused(a))
                then 'refused' else r.result end
    from tenuto._rejected_reports(p_session_id, p_token, p_task_ids, p_attempts, v_all.ids, 'completed') r;
  end if;
end
$$;
