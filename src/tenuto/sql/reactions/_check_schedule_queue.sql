-- Raises TN009 for a schedule whose queue is not among those of a worker key. Null or '*' in p_queues: any queue.
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
