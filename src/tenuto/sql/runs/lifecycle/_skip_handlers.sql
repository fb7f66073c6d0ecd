-- pending -> skipped, for all handlers of a cancelled run, after settle_runs raised an error for this run. The caller
-- has locked the run and its pending rows. fold_runs then ends the run.
create or replace function tenuto._skip_handlers(p_run tenuto.runs)
  returns void
  language plpgsql
as $$
declare
  v_skipped tenuto.queued_task[];
begin
  update tenuto.runs
  set pending_status = tenuto._final_run_status(p_run), handlers = 0, status = 'running', next_retry_at = null
  where id = p_run.id;
  with gone as (
    delete from tenuto.pending_tasks where run_id = p_run.id and handler is not null returning *
  )
  select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task)
  into v_skipped from gone;
  perform tenuto._record_ends(v_skipped, 'skipped', null);
end
$$;
