-- Deletes runs that the caller knows to be final, with the rows that belong to the runs themselves, not to their tasks.
create or replace function tenuto._delete_run_rows(p_run_ids uuid[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
begin
  delete from tenuto.data_references where holder = 'run' and holder_id = any (p_run_ids);
  delete from tenuto.run_slots where run_id = any (p_run_ids);
  delete from tenuto.run_data where run_id = any (p_run_ids);
  delete from tenuto.signals where run_id = any (p_run_ids);
  delete from tenuto.run_counts where run_id = any (p_run_ids);
  delete from tenuto.cancel_requests where id = any (p_run_ids);
  perform tenuto._forget_parked(p_run_ids);
  delete from tenuto.run_request_parts where run_id = any (p_run_ids);
  delete from tenuto.run_requests where run_id = any (p_run_ids);
  delete from tenuto.run_deadlines where run_id = any (p_run_ids);
  delete from tenuto.release_requests where run_id = any (p_run_ids);
  delete from tenuto.held_runs where run_id = any (p_run_ids);
  delete from tenuto.dedupe_keys where run_id = any (p_run_ids);
  delete from tenuto.runs where id = any (p_run_ids);
end
$$;
