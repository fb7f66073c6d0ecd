-- Sets keys of a task's metadata, removes keys whose value is null, and returns the metadata. Works for ended tasks
-- too. The result is stored in task_metadata, so that the row in tasks is not updated. The worker that runs the task
-- receives the metadata with which the task was started.
create or replace function tenuto.set_task_metadata(p_org_id uuid, p_task_id uuid, p_changes jsonb)
  returns jsonb
  language plpgsql
as $$
declare
  v_what text := format('the metadata of task %s', p_task_id);
  v_metadata jsonb;
begin
  -- The run is locked, so that the task is not deleted meanwhile. This lock does not block completions or fold_runs.
  perform
  from tenuto.runs r
  where r.id = (select t.run_id from tenuto.tasks t where t.id = p_task_id and t.org_id = p_org_id)
  for key share;
  insert into tenuto.task_metadata as m (task_id, org_id, metadata, changed_at)
  select t.id, t.org_id, tenuto._change_metadata(v_what, coalesce(c.metadata, t.metadata), p_changes), tenuto.now()
  from tenuto.tasks t
  join tenuto.runs r on r.id = t.run_id
  left join tenuto.task_metadata c on c.task_id = t.id
  where t.id = p_task_id
    and t.org_id = p_org_id
  on conflict (task_id) do update
    set metadata = tenuto._change_metadata(v_what, m.metadata, p_changes),
        changed_at = excluded.changed_at
  returning m.metadata into v_metadata;

  if not found then
    perform tenuto._raise('TN001', format('no task %s', p_task_id), 'list the tasks to see which exist');
  end if;
  perform tenuto._audit(p_org_id, 'task', p_task_id::text, 'set', jsonb_build_object('metadata', p_changes));
  return v_metadata;
end
$$;
