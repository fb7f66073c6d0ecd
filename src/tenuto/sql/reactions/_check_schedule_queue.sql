-- Raises TN009 if a worker key does not allow the queue of a schedule. p_queues: the queues that the key allows; null
-- or '*' allows any queue.
create or replace function tenuto._check_schedule_queue(p_name text, p_kind jsonb, p_queues text[])
  returns void
  language plpgsql
  immutable
as $$
declare
  v_queue text := coalesce(p_kind ->> 'queue', 'default');
begin
  if not p_queues && array['*', v_queue] then
    perform tenuto._raise('TN009',
      format('schedule %s uses queue %s, which the worker key does not allow', p_name, v_queue),
      format('it allows %s', array_to_string(p_queues, ', ')));
  end if;
end
$$;
