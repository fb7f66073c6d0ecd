-- -> queued: an insert into tasks starts a task, which is retried without a pause, up to three attempts in all.
create or replace function tenuto_compat_wgp._insert_task()
  returns trigger
  language plpgsql
as $$
declare
  v_created boolean;
begin
  if coalesce(new.status, 'Queued') <> 'Queued' then
    perform tenuto._raise('TN003', format('a task is inserted as Queued, not as %s', left(new.status, 100)));
  elsif new.task_type is null then
    perform tenuto._raise('TN003', 'task_type of the task is null', 'write the type that workers serve');
  elsif coalesce(new.attempts, 0) <> 0
     or num_nonnulls(new.worker_id, new.generation_started_at, new.generation_processed_at, new.error_message,
          new.result_data) > 0 then
    perform tenuto._raise('TN003', 'a task is inserted with its type, its params and an id, and no other column',
      'claims and reports set the worker, the attempts, the times and the result');
  end if;
  new.id := coalesce(new.id, tenuto._uuid7());
  select r.created into v_created
  from tenuto.start_run(
    tenuto_compat._org_id(),
    jsonb_build_object('id', new.id),
    jsonb_build_array(jsonb_build_object('type', new.task_type, 'max_attempts', 3, 'backoff_seconds', 0)),
    array[coalesce(new.params, '{}')]) r;
  if not v_created then
    perform tenuto._raise('TN004', format('task %s exists already', new.id), 'leave out the id, or make another UUID');
  end if;
  select t.* into new from tenuto_compat_wgp.tasks t where t.id = new.id;
  return new;
end
$$;
