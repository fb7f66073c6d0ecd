-- pending -> queued | cancelled | skipped, for tasks whose dependencies have ended or whose run is no longer held;
-- waiting -> queued, for tasks whose children have ended or whose signal was sent. The transaction that ended the
-- reason moves such tasks; this sweep finds tasks that it has missed. Looks at up to p_limit tasks of each kind per
-- call, and continues behind them in the next call. Returns how many tasks were moved. With p_keys, processes only
-- these tasks, even if they are parked.
create or replace function tenuto.sweep_tasks(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_parked uuid[] := tenuto._parked('sweep_tasks', p_keys);
  v_pending uuid[] := coalesce(p_keys::uuid[], tenuto._pending_page(p_limit));
  v_waiting uuid[] := coalesce(p_keys::uuid[], tenuto._waiting_page(p_limit));
  v_stranded uuid[];
  v_moved int := 0;
  v_queued tenuto.queued_task[];
  v_woken tenuto.queued_task[];
begin
  v_stranded := array(select p.id from tenuto._stranded_pending(v_pending) p where p.id <> all (v_parked));
  if v_stranded <> '{}' then
    select r.moved, r.queued into v_moved, v_queued from tenuto._repair_pending(v_stranded) r;
  end if;
  v_stranded := array(select w.id from tenuto._stranded_waits(v_waiting) w where w.id <> all (v_parked));
  if v_stranded <> '{}' then
    v_woken := tenuto._repair_waits(v_stranded);
  end if;
  v_queued := v_queued || v_woken;
  if v_queued is not null then
    perform tenuto._make_ready(v_queued);
    perform tenuto._wake_queued(v_queued);
  end if;
  if p_keys is null then
    perform tenuto._move_sweep('pending', v_pending, p_limit);
    perform tenuto._move_sweep('waiting', v_waiting, p_limit);
  end if;
  return v_moved + coalesce(cardinality(v_woken), 0);
end
$$;
