-- For starts that were committed without waiting for the disk and without a wake-up: tells listeners of their queues at
-- once, then waits until all of them are on disk. Many starts at once wait for the disk together, and none of them holds
-- the lock of the notifications while it does. Not inside a transaction.
create or replace procedure tenuto.settle_starts(p_queues text[])
  language plpgsql
as $$
begin
  set local synchronous_commit = off;
  perform tenuto._wake(queue) from unnest(p_queues) queue;
  commit;
  perform pg_logical_emit_message(true, 'tenuto', '');
end
$$;
