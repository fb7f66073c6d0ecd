-- Raises TN003 for a name that no queue can have: one that is empty or too long, or *, which means all queues in the
-- queues of a worker key.
create or replace function tenuto._check_queue_name(p_what text, p_name text)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._check_name(p_what, p_name);
  if p_name = '*' then
    perform tenuto._raise('TN003', format('%s is *, which no queue is called', p_what),
      'write the name of one queue; workers without a list of queues serve all');
  end if;
end
$$;
