-- -> queued: an insert into task adds a task to an open run. With parent_task_id, the task is a child of that task,
-- which must be running in the same run.
create or replace function tenuto_compat_foreman._insert_task()
  returns trigger
  language plpgsql
as $$
declare
  v_org_id uuid := tenuto_compat._check_org(new.org_id);
  v_kinds jsonb := jsonb_build_array(
    jsonb_build_object('type', new.type, 'max_attempts', coalesce(new.max_retries, 3) + 1));
  v_details jsonb := jsonb_build_array(
    jsonb_strip_nulls(jsonb_build_object('task', 0, 'queue_job_id', new.queue_job_id))
    || case when new.metadata is null then '{}' else jsonb_build_object('metadata', new.metadata) end);
  v_parent record;
begin
  if coalesce(new.status, 'pending') not in ('pending', 'queued') then
    perform tenuto._raise('TN003', format('a task is inserted as pending or queued, not as %s', left(new.status, 100)));
  elsif new.type is null then
    perform tenuto._raise('TN003', 'type of the task is null', 'write the type that workers serve');
  elsif new.input_data is null then
    perform tenuto._raise('TN003', 'input_data of the task is null', 'write a JSON value, such as {}');
  elsif new.run_id is null then
    perform tenuto._raise('TN003', 'run_id of the task is null', 'insert into run first');
  elsif new.max_retries not between 0 and 10 then
    perform tenuto._raise('TN003', format('max_retries is %s, not 0 to 10', new.max_retries));
  elsif coalesce(new.retry_count, 0) <> 0 or num_nonnulls(new.output_data, new.error_data, new.queued_at,
          new.started_at, new.completed_at, new.duration_ms) > 0 then
    perform tenuto._raise('TN003', 'a task is inserted without times, retries and results',
      'leave these columns out: its attempts set them');
  end if;
  new.id := coalesce(new.id, tenuto._uuid7());

  if new.parent_task_id is null then
    perform tenuto.add_tasks(v_org_id, new.run_id, v_kinds, array[new.input_data], array[new.id],
      p_details => v_details);
  else
    v_parent := tenuto_compat_foreman._find_running(v_org_id, new.run_id, new.parent_task_id);
    perform tenuto.start_children(v_parent.session_id, v_parent.token, new.parent_task_id, v_parent.attempt, v_kinds,
      array[new.input_data], array[new.id], p_details => v_details);
  end if;
  select t.* into new from tenuto_compat_foreman.task t where t.id = new.id;
  return new;
end
$$;
