-- Tells listeners of queues that got work, by whoever started it without a wake-up and has committed. A transaction that
-- notifies waits for the disk alone, holding up all others that do: many starts at once go several times as fast when one
-- call tells of all of them. Call it in a transaction of its own, which then waits for no disk: a hint may get lost.
create or replace function tenuto.wake_queues(p_queues text[])
  returns void
  language plpgsql
as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  perform tenuto._wake(queue) from unnest(p_queues) queue;
end
$$;
