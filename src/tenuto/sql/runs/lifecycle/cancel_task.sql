-- any open state -> cancelled, for one task, its children, and the dependents that need it to complete. A final task
-- raises TN004.
create or replace function tenuto.cancel_task(p_org_id uuid, p_task_id uuid, p_reason text default null)
  returns void
  language plpgsql
as $$
declare
  v_status text;
  v_handler text;
  v_run_id uuid;
begin
  perform tenuto._check_name('the reason of a cancellation', nullif(p_reason, ''), 1024);
  select status, handler, run_id
  into v_status, v_handler, v_run_id
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
  perform tenuto._cancel_tasks(array(select tenuto._tasks_below(p_task_id, 'task')), p_reason);
  insert into tenuto.cancel_requests (id, scope, org_id, requested_at)
  values (p_task_id, 'task', p_org_id, tenuto.now())
  on conflict do nothing;
  perform tenuto._retry_parked_now(v_run_id);
end
$$;
