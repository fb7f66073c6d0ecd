-- Queues a side effect of a running attempt at once, not when the attempt ends. With p_key, the effect is published
-- once per task type and key: a later call with the same key returns the first effect. Raises TN005 for a worker that
-- no longer holds the task.
create or replace function tenuto.publish_task_effect(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_kind text, p_payload jsonb,
  p_key text default null)
  returns table (id bigint, created boolean)
  language plpgsql
as $$
declare
  v_running tenuto.running_tasks := tenuto._lock_attempt(p_session_id, p_token, p_task_id, p_attempt);
  v_type text := (select r.type from tenuto.routes r where r.id = v_running.route_id);
begin
  return query
  select e.id, e.created from tenuto._publish_once(v_running.org_id, p_kind, p_payload, v_type, p_key) e;
end
$$;
