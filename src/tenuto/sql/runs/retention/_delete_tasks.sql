-- Deletes tasks that the caller knows to be final, with all their rows.
create or replace function tenuto._delete_tasks(p_ids uuid[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
begin
  delete from tenuto.task_attempts where task_id = any (p_ids);
  delete from tenuto.task_dependencies where parent_id = any (p_ids);
  delete from tenuto.task_slots where task_id = any (p_ids);
  delete from tenuto.task_logs where task_id = any (p_ids);
  delete from tenuto.task_inputs where task_id = any (p_ids);
  delete from tenuto.job_tasks where task_id = any (p_ids);
  delete from tenuto.task_steps where task_id = any (p_ids);
  delete from tenuto.task_parents where id = any (p_ids);
  delete from tenuto.data_references where holder = 'task' and holder_id = any (p_ids);
  delete from tenuto.task_metadata where task_id = any (p_ids);
  delete from tenuto.cancel_requests where id = any (p_ids);
  delete from tenuto.tasks where id = any (p_ids);
end
$$;
