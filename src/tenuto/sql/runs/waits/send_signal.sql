-- waiting -> queued: stores a signal for the run, and wakes the tasks that wait for it. Returns its id.
create or replace function tenuto.send_signal(p_org_id uuid, p_run_id uuid, p_name text, p_value jsonb default null)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid := tenuto._uuid7();
  v_queued tenuto.queued_task[];
begin
  perform tenuto._check_name('the name of a signal', coalesce(p_name, ''));
  perform tenuto._check_size(format('the value of signal %s', p_name), p_value);
  perform tenuto._open_run(p_org_id, p_run_id);
  perform tenuto._lock_signals(array[p_run_id]);
  insert into tenuto.signals (id, org_id, run_id, name, value, sent_at)
  values (v_id, p_org_id, p_run_id, p_name, p_value, tenuto.now());

  with due as materialized (
    select w.id
    from tenuto.waiting_tasks w
    where w.run_id = p_run_id and w.waits_for = 'signal' and w.signal = p_name
    order by w.id
    for update
  ), awake as (
    delete from tenuto.waiting_tasks w using due where w.id = due.id returning w.*
  )
  select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task order by id)
  into v_queued from awake;
  perform tenuto._make_ready(v_queued);
  if v_queued is not null then
    perform tenuto._wake_queued(v_queued);
  end if;
  return v_id;
end
$$;
