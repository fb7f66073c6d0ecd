-- Stages one page of rows of an output that is stored in Postgres, for a running task of a job, at a location of the
-- attempt. Readers see the rows once the task has completed and published the location. A repeated call changes
-- nothing. p_rows: a list per row, with a text or null per column. Raises TN005 for a worker that no longer holds the
-- task.
create or replace function tenuto.stage_rows(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_output int, p_location text, p_page int,
  p_rows jsonb)
  returns void
  language plpgsql
as $$
declare
  v_running tenuto.running_tasks := tenuto._lock_attempt(p_session_id, p_token, p_task_id, p_attempt);
  v_output jsonb;
begin
  select t.input -> 'job' -> 'outputs' -> greatest(p_output, 0) into v_output
  from tenuto.tasks t
  where t.id = p_task_id and tenuto._is_job_task(v_running.flags);
  if v_output is null then
    perform tenuto._raise('TN001', format('the job of task %s has no output %s', p_task_id, p_output));
  elsif v_output #>> '{storage,kind}' is distinct from 'postgres' or v_output -> 'location' = 'null' then
    perform tenuto._raise('TN004', format('output %s is not a dataset that is stored in Postgres', p_output),
      'write files below its location');
  elsif not tenuto._is_staging(p_location, v_output ->> 'location', p_task_id || '-' || p_attempt || '/') then
    perform tenuto._raise('TN003', format('location %L is not below %s…/%s-%s/, where this attempt writes',
      left(p_location, 1500), v_output ->> 'location', p_task_id, p_attempt));
  elsif p_page is null or p_page not between 0 and 999 then
    perform tenuto._raise('TN003', format('page is %s, not 0 to 999', coalesce(p_page::text, 'null')),
      'store larger data as files');
  elsif jsonb_typeof(p_rows) is distinct from 'array' or jsonb_array_length(p_rows) > 10000
        or pg_column_size(p_rows) > 1048576 then
    perform tenuto._raise('TN003', 'a page is not a list of up to 10,000 rows and 1 MB', 'stage several pages');
  end if;
  perform tenuto._stage_rows(v_running.org_id, (v_output ->> 'version_id')::uuid, p_location, p_task_id, p_attempt,
    p_page, v_output -> 'columns', p_rows);
end
$$;
