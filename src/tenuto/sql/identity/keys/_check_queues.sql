-- Raises TN003 for a worker key without queues; '*' means all queues.
create or replace function tenuto._check_queues(p_queues text[])
  returns void
  language plpgsql
  stable
as $$
begin
  if coalesce(cardinality(p_queues), 0) = 0 then
    perform tenuto._raise('TN003', 'a worker key needs at least one queue',
      'pass queue names, or * for all queues');
  end if;
  perform tenuto._check_names('the queues of a worker key', p_queues);
end
$$;
