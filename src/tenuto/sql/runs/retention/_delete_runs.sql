-- Deletes runs that the caller knows to be final, with all their rows.
create or replace function tenuto._delete_runs(p_run_ids uuid[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
begin
  perform tenuto._delete_tasks(array(select t.id from unnest(p_run_ids) r cross join lateral tenuto._run_tasks(r) t));
  perform tenuto._delete_run_rows(p_run_ids);
end
$$;
