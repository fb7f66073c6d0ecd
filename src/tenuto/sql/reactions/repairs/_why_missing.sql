-- Returns why a partition of a job is not committed although the partition of an input is. Possible reasons: the task
-- of the partition has not ended, another input is not committed yet, the job is paused or held, the task failed or did
-- not publish the partition, or the event of the input started no task. is_fixable: a task of the partition can be
-- started, and nothing else would start one.
create or replace function tenuto._why_missing(
  p_job tenuto.jobs, p_input_version uuid, p_key text, p_partition text,
  out state text, out reason text, out task_id uuid, out is_fixable boolean)
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set jit = off
as $$
declare
  v_missing text := tenuto._missing_input(p_job.org_id, p_job.id, p_job.dag_version_id, p_partition);
  v_control tenuto.job_controls;
  v_outcome text;
  v_reaction record;
begin
  select t.task_id, a.outcome into task_id, v_outcome
  from (
    select j.task_id
    from tenuto.job_tasks j
    where j.org_id = p_job.org_id and j.job_key = p_job.job_key and j.partition_key = p_partition
      and j.config_hash = p_job.config_hash
    order by j.task_id desc
    limit 1) t
  left join tenuto.task_attempts a on a.task_id = t.task_id and a.end_no = 0;
  select k.* into v_control
  from tenuto.job_controls k
  where k.org_id = p_job.org_id and k.job_key = p_job.job_key;
  select r.reaction, r.reason into v_reaction
  from tenuto.current_partitions c
  join tenuto.event_reactions r on r.event_id = c.partition_version_id and r.job_id = p_job.id
  where c.org_id = p_job.org_id and c.dataset_version_id = p_input_version and c.partition_key = p_key;

  is_fixable := false;
  if task_id is not null and v_outcome is null and tenuto._is_open(task_id) then
    state := 'open';
    reason := 'its task has not ended';
  elsif v_missing is not null then
    state := 'waiting';
    reason := format('it is not committed yet in %s', v_missing);
  elsif v_control.paused_at is not null then
    state := 'paused';
    reason := 'the job is paused' || coalesce(': ' || v_control.pause_reason, '');
  elsif v_control.held_at is not null then
    state := 'paused';
    reason := 'the job is held: ' || v_control.hold_reason;
  else
    is_fixable := true;
    state := case when v_outcome = 'completed' then 'unpublished'
                  when v_outcome is not null then 'failed'
                  when v_reaction.reaction in ('filtered', 'stale') then 'filtered'
                  else 'not_started' end;
    reason := case state
      when 'unpublished' then 'its task completed and did not publish it, or it was deleted'
      when 'failed' then tenuto._describe_failed_task(task_id)
      when 'filtered' then v_reaction.reason
      else 'no task of this version of the job was started' end;
  end if;
end
$$;
