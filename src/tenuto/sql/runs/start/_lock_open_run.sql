-- Locks an open run, so that it does not end before the end of the transaction that adds tasks to it. Raises TN001 if
-- the run does not exist, and TN004 if it is not open. Takes a key-share lock, which conflicts only with deleting the
-- row. _end_openness skips locked rows, so no other transaction waits for this one.
create or replace function tenuto._lock_open_run(p_org_id uuid, p_run_id uuid)
  returns void
  language plpgsql
as $$
declare
  v_found record;
begin
  perform from tenuto.open_runs o
  where o.run_id = p_run_id
    and o.org_id = p_org_id
    and not exists (select from tenuto.close_requests c where c.run_id = o.run_id)
  for key share of o;
  if found then
    return;
  end if;
  v_found := tenuto._find_run(p_org_id, p_run_id);
  perform tenuto._raise('TN004',
    format('cannot add tasks to run %s: %s', p_run_id,
      case when (v_found.run).open is null then 'it was started with all its tasks'
           when v_found.status in ('completed', 'failed', 'cancelled') then 'it is already ' || v_found.status
           when (v_found.run).cancel_requested_at is not null then 'it was cancelled'
           else 'it was closed' end),
    'open another run');
end
$$;
