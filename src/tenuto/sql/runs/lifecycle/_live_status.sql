-- Returns the status of a task, computed from its rows: the outcome of its last attempt if it has ended, whether it is
-- running or ready, why it is delayed, and what it waits for.
create or replace function tenuto._live_status(
  p_outcome text, p_running boolean, p_ready boolean, p_delayed_for text, p_waits_for text)
  returns text
  language sql
  immutable
as $$
  select case
    when p_outcome is not null then p_outcome
    when p_running then 'running'
    when p_ready then 'queued'
    when p_delayed_for is not null then case when p_delayed_for = 'retry' then 'retrying' else 'queued' end
    when p_waits_for is not null then case when p_waits_for = 'limit' then 'queued' else 'waiting' end
    else 'pending'
  end;
$$;
