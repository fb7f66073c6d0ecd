-- Deletes a task of a final run, the tasks below it (its children and their children), and all their rows: attempts,
-- edges, slots, logs, steps, metadata, references and the run data that they wrote. Returns how many tasks were
-- deleted. The counts of the run do not change: they say what was executed. Edges from other tasks to the deleted tasks
-- stay too. Without them, these other tasks would have no dependents, and their outputs would become outputs of the
-- run. The run cannot be retried any more. Raises TN004 for the task with which the run was started, for more than
-- 10,000 tasks, and while a retry of the run copies its tasks.
create or replace function tenuto.delete_task(p_org_id uuid, p_task_id uuid)
  returns int
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_run_id uuid := (select t.run_id from tenuto.tasks t where t.id = p_task_id and t.org_id = p_org_id);
  v_run tenuto.runs;
  v_retry uuid;
  v_ids uuid[];
  v_most constant int := 10000;
begin
  perform tenuto._require_read_committed();
  -- The run is locked, as in delete_run, so that a retry of it is accepted either before or after the delete.
  perform from tenuto.runs where id = v_run_id and org_id = p_org_id for update;
  if not found or not exists (select from tenuto.tasks t where t.id = p_task_id) then
    perform tenuto._raise('TN001', format('no task %s', p_task_id), 'list the tasks to see which exist');
  end if;
  v_run := tenuto._final_run(p_org_id, v_run_id);
  if v_run.single_task or p_task_id = v_run_id then
    perform tenuto._raise('TN004',
      format('task %s cannot be deleted without its run %s', p_task_id, v_run_id),
      format('delete the run %s', v_run_id));
  end if;
  select q.run_id into v_retry from tenuto.run_requests q where q.source_id = v_run_id limit 1;
  if found then
    perform tenuto._raise('TN004', format('run %s is being copied by its retry %s', v_run_id, v_retry),
      'delete the task after the retry has copied all tasks');
  end if;
  v_ids := array(
    with recursive below(id) as (
      select p_task_id
      union
      select t.id from below b join tenuto.tasks t on t.parent_id = b.id
    )
    select b.id from below b limit v_most + 1);
  if cardinality(v_ids) > v_most then
    perform tenuto._raise('TN004', format('task %s has more than 10,000 tasks below it', p_task_id),
      format('delete the run %s', v_run_id));
  end if;

  delete from tenuto.run_data where run_id = v_run_id and task_id = any (v_ids);
  perform tenuto._delete_tasks(v_ids);
  update tenuto.runs
  set deleted_tasks = coalesce(deleted_tasks, 0) + cardinality(v_ids)
  where id = v_run_id;
  perform tenuto._audit(p_org_id, 'task', p_task_id::text, 'delete',
    jsonb_build_object('tasks', cardinality(v_ids)));
  return cardinality(v_ids);
end
$$;
