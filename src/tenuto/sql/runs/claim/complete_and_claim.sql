-- running -> completed and queued -> running in one round trip, the call that workers make most often. A row with a
-- result and a task is a rejected report. A row with the result session_ended has no task and means that nothing was
-- claimed. Rows without a result are claimed tasks. For a copy of a task, root_id is the id of the original task.
-- p_published: as in complete_tasks.
create or replace function tenuto.complete_and_claim(
  p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[], p_outputs jsonb[],
  p_claim_no bigint, p_routes int[], p_limit int, p_effects jsonb default null, p_group text default null,
  p_published jsonb[] default null)
  returns table (
    result text, task_id uuid, attempt int, run_id uuid, route_id int, input jsonb, slots jsonb, timeout_seconds real,
    metadata jsonb, root_id uuid)
  language plpgsql
as $$
declare
  v_status text := tenuto._session_status(p_session_id, p_token);
begin
  if not tenuto._require_read_committed() then   -- without a statement of its own, because this call is frequent
    return;
  end if;
  if cardinality(p_task_ids) > 0 then
    perform tenuto._check_fences(p_task_ids, p_attempts, coalesce(cardinality(p_outputs), cardinality(p_task_ids)));
    if p_published is not null then
      perform tenuto._check_fences(p_task_ids, p_attempts, cardinality(p_published));
    end if;
    return query
    select r.result, r.task_id, r.attempt, null::uuid, null::int, null::jsonb, null::jsonb, null::real, null::jsonb,
           null::uuid
    from tenuto._complete(p_session_id, p_token, p_task_ids, p_attempts, p_outputs, p_effects,
      v_status is not null, p_published) r;
  end if;
  if p_limit > 0 then
    if v_status = 'active' then
      return query
      select null::text, c.* from tenuto._claim(p_session_id, p_claim_no, p_routes, p_limit, p_group) c;
    elsif v_status is null then
      -- A row instead of an error, which would roll back the completions above.
      return query
      select 'session_ended', null::uuid, null::int, null::uuid, null::int, null::jsonb, null::jsonb, null::real,
             null::jsonb, null::uuid;
    end if;
  end if;
end
$$;
