-- Queues an OpenLineage event for the end of each of these attempts of jobs, in the transaction that ends the attempts.
-- The event is COMPLETE, FAIL (even if the task is tried again) or ABORT (the attempt was cancelled, or given back
-- before its end). A START event with the time of the claim is queued before it, unless emit_running has queued that
-- event. The rows of the attempts in task_attempts exist already; p_end_nos are their end_no. Orgs without a
-- destination for such events are left out.
create or replace function tenuto._emit_ends(p_task_ids uuid[], p_end_nos int[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set enable_nestloop = on
  set jit = off
as $$
begin
  perform tenuto._emit_events(e.org_id, array_agg(e.key order by e.key), array_agg(e.subject order by e.key),
            array_agg(e.events order by e.key))
  from (
    select a.org_id, a.task_id || ':' || a.attempt as key,
           jsonb_build_object('task_id', a.task_id, 'attempt', a.attempt,
             'dag', t.input #> '{job,dag}', 'job', t.input #> '{job,job}') as subject,
           jsonb_build_array(
             jsonb_build_object('type', 'START', 'at', coalesce(a.started_at, a.ended_at)),
             jsonb_build_object('at', a.ended_at, 'type',
               case when a.outcome = 'completed' then 'COMPLETE'
                    when a.outcome in ('failed', 'retrying', 'lost') then 'FAIL'
                    else 'ABORT' end)) as events
    from unnest(p_task_ids, p_end_nos) as p(id, end_no)
    join tenuto.task_attempts a on a.task_id = p.id and a.end_no = p.end_no
    join tenuto.tasks t on t.id = p.id
    where tenuto._emits_lineage(a.org_id)
  ) e
  group by e.org_id;
end
$$;
