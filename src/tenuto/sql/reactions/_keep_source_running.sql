-- Keeps a continuous source running: if it has no task, or its task has ended, starts a new task and returns its run.
-- If the job was paused or its definition changed, cancels the task; a later call starts the next one when that task
-- has ended. All tasks of the job get the same `producer` in their input: the key of the job.
create or replace function tenuto._keep_source_running(p_schedule tenuto.schedules)
  returns uuid[]
  language plpgsql
as $$
declare
  v_job tenuto.jobs := (select f.job from tenuto._find_source(p_schedule.org_id, p_schedule.job_key) f);
  v_started tenuto.started[];
begin
  if tenuto._is_open(p_schedule.task_id) then
    if not exists (
      select from tenuto.job_tasks t where t.task_id = p_schedule.task_id and t.config_hash = v_job.config_hash
    ) then
      perform tenuto._stop_source_task(p_schedule.org_id, p_schedule.task_id, 'the job was paused or changed');
    end if;
    return '{}';
  end if;
  v_started := tenuto._start_source(p_schedule.org_id, p_schedule.job_key, array[tenuto.now()],
    array[jsonb_build_object('kind', 'continuous', 'producer', p_schedule.job_key)]);
  if v_started is null then
    return '{}';
  end if;
  update tenuto.schedules
  set task_id = (v_started[1]).run_id
  where org_id = p_schedule.org_id and name = p_schedule.name;
  return array[(v_started[1]).run_id];
end
$$;
