-- Returns one page of the rows of an input that is stored in Postgres, for a running task of a job, and how many pages
-- the location has. Each row is a list with a text or null per column. p_location must be a location of the input.
-- Raises TN005 for a worker that no longer holds the task.
create or replace function tenuto.read_rows(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_input int, p_location text, p_page int)
  returns table (rows jsonb, pages int)
  language plpgsql
as $$
declare
  v_running tenuto.running_tasks := tenuto._lock_attempt(p_session_id, p_token, p_task_id, p_attempt);
  v_input jsonb;
begin
  select f.job -> 'inputs' -> greatest(p_input, 0) into v_input
  from tenuto._find_job_task(v_running) f;
  if v_input is null then
    perform tenuto._raise('TN001', format('the job of task %s has no input %s', p_task_id, p_input));
  elsif v_input #>> '{storage,kind}' is distinct from 'postgres' then
    perform tenuto._raise('TN004', format('input %s is not stored in Postgres', p_input), 'read its files');
  elsif jsonb_typeof(v_input -> 'locations') = 'array' and not v_input -> 'locations' ? p_location then
    perform tenuto._raise('TN001', format('input %s has no location %s', p_input, left(p_location, 1500)));
  end if;
  return query
  select r.rows, r.pages
  from tenuto._read_rows(v_running.org_id, (v_input ->> 'version_id')::uuid, p_location, p_page,
    v_input -> 'columns') r;
end
$$;
