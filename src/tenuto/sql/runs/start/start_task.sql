-- -> queued: starts a single-task run. Returns when the run is durable, but workers see it before that. The first
-- commit makes the task visible and wakes workers without waiting for the disk. The second commit waits until both
-- commits are on disk. A worker that claims the task in between begins only when its claim is durable. The start
-- precedes the claim in the write-ahead log, so the start is durable then too. Cannot be called inside a transaction.
create or replace procedure tenuto.start_task(
  p_org_id uuid, p_kind jsonb, p_input jsonb, p_id uuid default tenuto._uuid7(), p_group text default null)
  language plpgsql
as $$
declare
  v_queue text;
begin
  if current_setting('transaction_isolation') <> 'read committed' then   -- the default of a pooler's connection
    commit;
    set transaction isolation level read committed;
  end if;
  set local synchronous_commit = off;
  v_queue := tenuto._start_single_task(p_org_id, p_kind, p_input, p_id, p_group, p_alone => true);
  if v_queue is not null then
    perform tenuto._audit(p_org_id, 'run', p_id::text, 'start',
      jsonb_build_object('type', p_kind ->> 'type', 'runs', 1));
    perform tenuto._wake(v_queue);
  else
    perform from tenuto.start_many(p_org_id, jsonb_build_array(p_kind), array[p_input], array[p_id],
      p_group => p_group);
  end if;
  commit;
  perform pg_logical_emit_message(true, 'tenuto', '');
end
$$;
