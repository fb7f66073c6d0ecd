-- Returns, from the settings of an org, the times after which a worker counts as stale, stuck or failed, and the
-- patterns of the task types whose tasks never count as stuck.
create or replace function tenuto._health_thresholds(
  p_settings jsonb,
  out stale_after interval, out stuck_after interval, out start_within interval, out silent_after interval,
  out error_grace interval, out never_stuck text[])
  language sql
  immutable parallel safe
as $$
  select
    interval '1 second' * coalesce((p_settings ->> 'stale_heartbeat_seconds')::float8, 300),
    interval '1 second' * coalesce((p_settings ->> 'stuck_task_seconds')::float8, 600),
    interval '1 second' * coalesce((p_settings ->> 'starting_timeout_seconds')::float8, 600),
    interval '1 second' * coalesce((p_settings ->> 'silent_worker_seconds')::float8, 600),
    interval '1 second' * coalesce((p_settings ->> 'error_grace_seconds')::float8, 600),
    array(select jsonb_array_elements_text(p_settings -> 'never_stuck_types'));
$$;
