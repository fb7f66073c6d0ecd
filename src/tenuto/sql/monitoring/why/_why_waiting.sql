-- Returns what a waiting task waits for.
create or replace function tenuto._why_waiting(p_waiting tenuto.waiting_tasks)
  returns text
  language sql
  stable
as $$
  select case p_waiting.waits_for
      when 'limit' then tenuto._why_limited(p_waiting)
      when 'children' then format('%s of %s children have not ended', p_waiting.remaining,
                                  (select count(*) from tenuto.tasks t where t.parent_id = p_waiting.id))
      when 'code' then tenuto._why_blocked(p_waiting.id, p_waiting.route_id, p_waiting.attempt)
      when 'signal' then format('signal %s was not sent yet', concat(
        p_waiting.signal, ' (' || tenuto._describe_schema(p_waiting.signal_schema) || ')'))
      else format('it sleeps until %s', tenuto._format_time(p_waiting.wake_at))
    end
    || case when p_waiting.waits_for in ('children', 'signal') and p_waiting.wake_at is not null
            then format(', and it waits until %s at most', tenuto._format_time(p_waiting.wake_at)) else '' end
    || coalesce(tenuto._why_not_moved(p_waiting.wake_at), '');
$$;
