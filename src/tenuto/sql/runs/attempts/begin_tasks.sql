-- Restarts the timeouts of running attempts when their code begins. So the time that was needed to prepare their
-- process does not count.
create or replace function tenuto.begin_tasks(p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[])
  returns void
  language plpgsql
as $$
begin
  perform tenuto._check_fences(p_task_ids, p_attempts, cardinality(p_task_ids));
  perform from tenuto.running_tasks r
  where r.id = any (p_task_ids) and r.session_id = p_session_id
  order by r.id
  for no key update;

  update tenuto.running_tasks r
  set deadline_at = tenuto.now() + make_interval(secs => t.timeout_seconds + 5),
      silent_at   = tenuto.now() + make_interval(secs => t.heartbeat_timeout_seconds)
  from unnest(p_task_ids, p_attempts) as b(id, attempt)
  join tenuto.tasks t on t.id = b.id
  where r.id = b.id
    and r.attempt = b.attempt
    and r.session_id = p_session_id
    and tenuto._session_exists(p_session_id, p_token);
end
$$;
