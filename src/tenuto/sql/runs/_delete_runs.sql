-- Deletes runs that the caller knows to be final, and all that belongs to them.
create or replace function tenuto._delete_runs(p_run_ids uuid[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_ids uuid[] := array(select t.id from unnest(p_run_ids) r cross join lateral tenuto._run_tasks(r) t);
begin
  delete from tenuto.task_attempts where task_id = any (v_ids);
  delete from tenuto.task_dependencies where parent_id = any (v_ids);
  delete from tenuto.task_slots where task_id = any (v_ids);
  delete from tenuto.task_logs where task_id = any (v_ids);
  delete from tenuto.task_steps where task_id = any (v_ids);
  delete from tenuto.task_parents where id = any (v_ids);
  delete from tenuto.data_references where holder in ('run', 'task') and holder_id = any (v_ids || p_run_ids);
  delete from tenuto.run_slots where run_id = any (p_run_ids);
  delete from tenuto.run_data where run_id = any (p_run_ids);
  delete from tenuto.signals where run_id = any (p_run_ids);
  delete from tenuto.run_counts where run_id = any (p_run_ids);
  delete from tenuto.cancel_requests where id = any (v_ids || p_run_ids);
  delete from tenuto.dedupe_keys where run_id = any (p_run_ids);
  delete from tenuto.tasks where id = any (v_ids);
  delete from tenuto.runs where id = any (p_run_ids);
end
$$;
