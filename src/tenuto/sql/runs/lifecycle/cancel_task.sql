-- any state that is not final -> cancelled, when the transaction commits, for one task, its children, and the
-- dependents that start only if it completes. Raises TN004 for a final task and for a handler that has not started. The
-- query plan is fixed, because planning takes longer than the query.
create or replace function tenuto.cancel_task(p_org_id uuid, p_task_id uuid, p_reason text default null)
  returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_status text;
  v_handler text;
begin
  perform tenuto._require_read_committed();
  perform tenuto._check_name('the reason of a cancellation', nullif(p_reason, ''), 1024);
  select status, handler
  into v_status, v_handler
  from tenuto.task_status
  where id = p_task_id and org_id = p_org_id;
  if not found then
    perform tenuto._raise('TN001', format('no task %s', p_task_id));
  elsif v_status in ('completed', 'failed', 'cancelled', 'skipped') then
    perform tenuto._raise('TN004', format('task %s is already %s', p_task_id, v_status));
  elsif v_status = 'pending' and v_handler is not null then
    perform tenuto._raise('TN004', format('task %s is a handler for runs that end as %s', p_task_id, v_handler),
      'cancel the run');
  end if;
  perform tenuto._request_cancel(p_org_id, p_task_id, 'task', p_reason);
  perform tenuto._audit(p_org_id, 'task', p_task_id::text, 'cancel', jsonb_build_object('reason', p_reason));
end
$$;
