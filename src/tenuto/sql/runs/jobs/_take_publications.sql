-- Returns the publications of those attempts of a batch that the session holds, for _commit_outputs. The list of one
-- attempt may be empty ([]). An attempt with wrong publications ends here: running -> failed, without a retry. The
-- other attempts of the batch can still complete. The running rows are locked in id order, so that the attempts stay
-- held until the caller completes them.
create or replace function tenuto._take_publications(
  p_session_id bigint, p_task_ids uuid[], p_attempts int[], p_published jsonb[])
  returns tenuto.task_outputs[]
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set enable_nestloop = on
as $$
declare
  v_held record;
  v_task tenuto.task_outputs;
  v_wrong text;
  v_outputs tenuto.task_outputs[];
  v_refused tenuto.attempt_end[];
begin
  perform from tenuto.running_tasks where id = any (p_task_ids) and session_id = p_session_id order by id for update;
  for v_held in
    select t as running, u.published
    from (
      select distinct on (u.id) u.id, u.attempt, u.published
      from unnest(p_task_ids, p_attempts, p_published) as u(id, attempt, published)
      join tenuto.running_tasks t on t.id = u.id and t.attempt = u.attempt and t.session_id = p_session_id
      where u.published <> 'null'
      order by u.id) u
    join tenuto.running_tasks t on t.id = u.id
    order by t.id
  loop
    select j.org_id, j.dag_version_id, j.job_key, j.task_id, (v_held.running).attempt, j.input_versions,
           v_held.published,
           (select tenuto._memo(j.job_key, j.config_hash, j.partition_key, j.input_versions)
            from tenuto.tasks t
            where t.id = j.task_id and coalesce(t.input #> '{job,event,data}', 'null') = 'null')
    into v_task
    from tenuto.job_tasks j
    where j.task_id = (v_held.running).id and tenuto._is_job_task((v_held.running).flags);
    continue when not found and v_held.published = '[]';
    v_wrong := case when found then tenuto._check_publications(v_task) else 'the task does not belong to a job' end;
    if v_wrong is null then
      v_outputs := v_outputs || v_task;
    else
      v_refused := v_refused || (v_held.running, 'failure', true, null,
        jsonb_build_object('type', 'PublicationRefused', 'message', v_wrong))::tenuto.attempt_end;
    end if;
  end loop;

  if v_refused is not null then
    delete from tenuto.running_tasks where id = any (array(select (e.running).id from unnest(v_refused) e));
    perform tenuto._make_ready(
      tenuto._end_failed_attempts(v_refused, true),
      array(select (e.running).id from unnest(v_refused) e where tenuto._has_limits((e.running).flags)));
  end if;
  return v_outputs;
end
$$;
