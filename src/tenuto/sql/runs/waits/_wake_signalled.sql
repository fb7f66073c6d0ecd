-- waiting -> queued: wakes the tasks that wait for a new signal. A trigger calls it when the sender's transaction
-- commits: a client may keep its transaction open for a long time, and until the commit this transaction must not hold
-- the signal lock of the run. Runs as the owner: before Postgres 18, such a trigger acts as the role that commits, and
-- this role may have no rights on the tables.
create or replace function tenuto._wake_signalled()
  returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_queued tenuto.queued_task[];
begin
  perform tenuto._lock_signals(array[new.run_id], p_shared => true);
  with due as materialized (
    select w.id
    from tenuto.waiting_tasks w
    where w.run_id = new.run_id and w.org_id = new.org_id and w.waits_for = 'signal' and w.signal = new.name
    order by w.id
    for update
  ), awake as (
    delete from tenuto.waiting_tasks w using due where w.id = due.id returning w.*
  )
  select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task order by id)
  into v_queued from awake;
  if v_queued is not null then
    perform tenuto._make_ready(v_queued);
    perform tenuto._wake_queued(v_queued);
  end if;
  return null;
end
$$;
