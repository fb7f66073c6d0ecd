-- pending -> queued, for the handlers of the run's result; pending -> skipped, for its other handlers. The caller has
-- locked the run and its pending rows. Returns the queued tasks to make ready.
create or replace function tenuto._run_handlers(p_run tenuto.runs)
  returns tenuto.queued_task[]
  language plpgsql
as $$
declare
  v_final text := tenuto._final_run_status(p_run);
  v_skipped tenuto.queued_task[];
  v_ids uuid[];
begin
  update tenuto.runs
  set pending_status = v_final, handlers = 0, status = 'running', next_retry_at = null
  where id = p_run.id;

  with gone as (
    delete from tenuto.pending_tasks where run_id = p_run.id and handler <> v_final returning *
  )
  select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task)
  into v_skipped from gone;
  perform tenuto._record_ends(v_skipped, 'skipped', null);

  v_ids := array(select id from tenuto.pending_tasks where run_id = p_run.id and handler = v_final order by id);
  return tenuto._count_down(v_ids, array_fill(1, array[cardinality(v_ids)]));
end
$$;
