-- Deletes runs that the caller knows to be final, and all that belongs to them.
create or replace function tenuto._delete_runs(p_run_ids uuid[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
begin
  perform tenuto._delete_tasks(array(select t.id from unnest(p_run_ids) r cross join lateral tenuto._run_tasks(r) t));
  delete from tenuto.data_references where holder = 'run' and holder_id = any (p_run_ids);
  delete from tenuto.run_slots where run_id = any (p_run_ids);
  delete from tenuto.run_data where run_id = any (p_run_ids);
  delete from tenuto.signals where run_id = any (p_run_ids);
  delete from tenuto.run_counts where run_id = any (p_run_ids);
  delete from tenuto.cancel_requests where id = any (p_run_ids);
  perform tenuto._forget_parked(p_run_ids);
  delete from tenuto.dedupe_keys where run_id = any (p_run_ids);
  delete from tenuto.runs where id = any (p_run_ids);
end
$$;
