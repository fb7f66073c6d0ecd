-- Records that the code of running attempts is alive, and their progress; null keeps the last value. Returns the tasks
-- that the session no longer holds (stale_lease), and the tasks that should stop (cancelled).
create or replace function tenuto.report_progress(
  p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[], p_progress float8[] default null,
  p_messages text[] default null)
  returns table (task_id uuid, result text)
  language plpgsql
as $$
begin
  perform tenuto._check_fences(p_task_ids, p_attempts, cardinality(p_task_ids));
  perform from tenuto.running_tasks r
  where r.id = any (p_task_ids) and r.session_id = p_session_id
  order by r.id
  for no key update;

  return query
  with reported as materialized (
    select distinct on (s.id) s.*
    from unnest(p_task_ids, p_attempts, p_progress, p_messages) as s(id, attempt, progress, message)
    order by s.id, s.attempt desc
  ), updated as (
    update tenuto.running_tasks r
    set progress  = coalesce(s.progress, r.progress),
        message   = coalesce(left(s.message, 1024), r.message),
        silent_at = tenuto.now() + make_interval(secs => t.heartbeat_timeout_seconds)
    from reported s
    join tenuto.tasks t on t.id = s.id
    where r.id = s.id
      and r.attempt = s.attempt
      and r.session_id = p_session_id
      and tenuto._session_exists(p_session_id, p_token)
    returning r.id, r.cancel
  )
  select s.id, case when h.id is null then 'stale_lease' else 'cancelled' end
  from reported s
  left join updated h on h.id = s.id
  where h.id is null or h.cancel;
end
$$;
