-- Returns a page of the folders of one input of a job's running task, ordered by partition, starting after the commit
-- p_after. Together the pages are the whole input, as it was when it was pinned. This is for inputs that are too large
-- for the description of the job. Raises TN005 for a worker that no longer holds the task.
create or replace function tenuto.list_input_locations(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_input int, p_after uuid default null,
  p_limit int default 1000)
  returns table (id uuid, partition text, location text)
  language plpgsql
as $$
declare
  v_running tenuto.running_tasks := tenuto._lock_attempt(p_session_id, p_token, p_task_id, p_attempt);
  v_task record;
  v_after text;
begin
  if p_limit not between 1 and 1000 then
    perform tenuto._raise('TN003', format('limit is %s, not 1 to 1000', p_limit));
  end if;
  select f.job -> 'inputs' -> p_input as input, f.job ->> 'partition' as partition, f.pinned
  into v_task
  from tenuto._find_job_task(v_running) f;
  if v_task.input is null then
    perform tenuto._raise('TN001', format('the job of task %s has no input %s', p_task_id, p_input));
  end if;
  select v.partition_key into v_after
  from tenuto.partition_versions v
  where v.org_id = v_running.org_id and v.id = p_after;

  return query
  select l.id, nullif(l.partition_key, ''), l.location
  from tenuto._committed_locations(v_running.org_id, (v_task.input ->> 'version_id')::uuid,
    v_task.input ->> 'partition', coalesce(v_task.input ->> 'update_strategy' = 'append', false), v_after,
    case when v_after is not null then p_after end, p_limit, v_task.pinned,
    nullif(v_task.input -> 'map', 'null'), v_task.partition) l;
end
$$;
