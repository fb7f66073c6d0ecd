-- Returns a final run of the org. Raises TN001 if it does not exist, and TN004 if it has not ended.
create or replace function tenuto._final_run(p_org_id uuid, p_run_id uuid)
  returns tenuto.runs
  language plpgsql
  stable
as $$
declare
  v_found record := tenuto._find_run(p_org_id, p_run_id);
begin
  if v_found.status not in ('completed', 'failed', 'cancelled') then
    perform tenuto._raise('TN004', format('run %s is %s, not final', p_run_id, v_found.status),
      'cancel it first, or wait until it has ended');
  end if;
  return v_found.run;
end
$$;
