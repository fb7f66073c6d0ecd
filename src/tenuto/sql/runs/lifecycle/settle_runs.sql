-- running -> retrying -> running, for failed runs with run attempts left. Also starts the handlers of runs whose other
-- tasks have ended. fold_runs does not end runs of these two kinds. A run that was cancelled while it waited to be
-- retried ends here. Waits for no lock (limits are locked only once, at the end): a run that another transaction has
-- locked, or whose pending tasks it has locked, is left to a later call and does not count for p_limit. Checks each run
-- again under its lock. With p_keys, processes only these runs, even if they are parked.
create or replace function tenuto.settle_runs(p_limit int default 100, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_id uuid;
  v_run tenuto.runs;
  v_pending uuid[];
  v_queued tenuto.queued_task[];
  v_count bigint := 0;
  v_parked uuid[] := tenuto._parked('settle_runs', p_keys);
begin
  for v_id in
    select r.id from tenuto.runs r
    where r.status in ('pending', 'running', 'retrying') and (r.handlers > 0 or r.max_attempts > 1)
      and (r.total = r.completed + r.failed + r.cancelled + r.skipped + r.handlers)
      and (r.next_retry_at is null or r.next_retry_at <= tenuto.now() or r.cancel_requested_at is not null)
      and (p_keys is null or r.id = any (p_keys::uuid[]))
      and r.id <> all (v_parked)
    order by r.id
  loop
    exit when v_count >= p_limit;
    v_pending := array(
      select p.id from tenuto.pending_tasks p where p.run_id = v_id order by p.id for update skip locked);
    select r.* into v_run
    from tenuto.runs r
    where r.id = v_id
      and r.status in ('pending', 'running', 'retrying')
      and r.total = r.completed + r.failed + r.cancelled + r.skipped + r.handlers
      and (r.next_retry_at is null or r.next_retry_at <= tenuto.now() or r.cancel_requested_at is not null)
    for no key update skip locked;
    continue when not found
      or exists (select from tenuto.run_counts c where c.run_id = v_id)
      or exists (select from tenuto.pending_tasks p where p.run_id = v_id and p.id <> all (v_pending));

    if v_run.status = 'retrying' and v_run.cancel_requested_at is null then
      v_queued := v_queued || tenuto._rerun(v_run);
    elsif v_run.attempt < v_run.max_attempts
          and v_run.pending_status is null
          and tenuto._final_run_status(v_run) = 'failed' then
      update tenuto.runs
      set status = 'retrying', next_retry_at = tenuto._retry_at(2, attempt)
      where id = v_id;
    elsif v_run.handlers > 0
          and v_run.cancel_requested_at is not null
          and exists (select from tenuto.parked_rows p where p.loop = 'settle_runs' and p.key = v_id::text) then
      perform tenuto._skip_handlers(v_run);
    elsif v_run.handlers > 0 then
      v_queued := v_queued || tenuto._run_handlers(v_run);
    else
      update tenuto.runs
      set status = tenuto._final_run_status(v_run), completed_at = tenuto.now(), next_retry_at = null
      where id = v_id;
    end if;
    v_count := v_count + 1;
  end loop;
  if v_queued is not null then
    perform tenuto._make_ready(v_queued);
    perform tenuto._wake_queued(v_queued);
  end if;
  return v_count;
end
$$;
