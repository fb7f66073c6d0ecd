-- Returns one run with its live state, output and error. Raises TN001 if there is none. Its query plan is fixed, as in
-- get_task.
create or replace function tenuto.get_run(p_org_id uuid, p_run_id uuid)
  returns tenuto.run_status
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_run tenuto.run_status;
begin
  select r.* into v_run from tenuto.run_status r where r.id = p_run_id and r.org_id = p_org_id;
  if not found then
    perform tenuto._raise('TN001', format('no run %s', p_run_id), 'list the runs to see which exist');
  end if;
  return v_run;
end
$$;
