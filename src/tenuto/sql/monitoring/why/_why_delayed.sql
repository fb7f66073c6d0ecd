-- Returns why a delayed task is not ready: its time has not come, or no dispatcher has moved it yet.
create or replace function tenuto._why_delayed(p_delayed tenuto.delayed_tasks)
  returns text
  language plpgsql
  stable
as $$
declare
  v_error jsonb;
  v_reason text;
  v_charged record;
begin
  if p_delayed.reason = 'retry' then
    select a.error
    into v_error
    from tenuto.task_attempts a
    where a.task_id = p_delayed.id and a.end_no = p_delayed.attempt;
    select * into v_charged from tenuto._count_failures(p_delayed.id);
    v_reason := format('backoff until %s after attempt %s failed: %s', tenuto._format_time(p_delayed.available_at),
      v_charged.failures + v_charged.losses, tenuto._format_error(v_error));
  elsif p_delayed.reason = 'delay' and p_delayed.attempt > 0 then
    v_reason := format('%s, and is tried again at %s',
      tenuto._why_blocked(p_delayed.id, p_delayed.route_id, p_delayed.attempt),
      tenuto._format_time(p_delayed.available_at));
  else
    v_reason := format('%s until %s',
      case p_delayed.reason when 'snooze' then 'snoozed' else 'delayed' end,
      tenuto._format_time(p_delayed.available_at));
  end if;
  return v_reason || coalesce(tenuto._why_not_moved(p_delayed.available_at), '');
end
$$;
