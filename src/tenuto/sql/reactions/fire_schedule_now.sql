-- -> queued: starts one run of a schedule now. The next time of the schedule stays the same, and a paused schedule
-- stays paused. Returns the id of the run; every call starts a new run. Raises TN004 if the schedule starts a job that
-- is paused or held, or that no current version has.
create or replace function tenuto.fire_schedule_now(p_org_id uuid, p_name text)
  returns uuid
  language plpgsql
as $$
declare
  v_schedule tenuto.schedules;
  v_run_ids uuid[];
  v_queued tenuto.queued_task[];
  v_now text := to_char(tenuto.now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
begin
  perform tenuto._require_read_committed();
  select s.* into v_schedule
  from tenuto.schedules s
  where s.org_id = p_org_id
    and s.name = p_name;
  if not found then
    perform tenuto._raise('TN001', format('no schedule %s', p_name), 'list the schedules to see which exist');
  end if;

  if v_schedule.job_key is not null then
    v_run_ids := array[((tenuto._start_source(p_org_id, v_schedule.job_key, array[tenuto.now()],
      array[jsonb_build_object('kind', 'cron', 'fire_time', v_now)]))[1]).run_id];
    if v_run_ids[1] is null then
      perform tenuto._raise('TN004',
        format('the job of schedule %s is paused or held, or no current version has it', p_name),
        'resume the job, or trigger it with force');
    end if;
    perform tenuto._audit(p_org_id, 'schedule', p_name, 'fire', jsonb_build_object('run', v_run_ids[1]));
    return v_run_ids[1];
  end if;
  select s.run_ids, s.queued into v_run_ids, v_queued
  from tenuto._start_named(
    p_org_id, array[p_name], array[p_name || '@now ' || tenuto._uuid7()], jsonb_build_array(v_schedule.kind), array[0],
    array[v_schedule.input],
    jsonb_build_array(
      coalesce(v_schedule.details, '{}')
      || jsonb_build_object(
        'task', 0,
        'metadata', coalesce(v_schedule.details -> 'metadata', '{}')
                    || jsonb_build_object(
                      'schedule', p_name,
                      'fire_time', v_now)))) s;
  perform tenuto._make_ready(v_queued);
  perform tenuto._audit(p_org_id, 'schedule', p_name, 'fire', jsonb_build_object('run', v_run_ids[1]));
  return v_run_ids[1];
end
$$;
