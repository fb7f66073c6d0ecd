-- The run, which must be the org's and final; TN001 when it is not there, TN004 when it is still open.
create or replace function tenuto._final_run(p_org_id uuid, p_run_id uuid)
  returns tenuto.runs
  language plpgsql
  stable
as $$
declare
  v_run tenuto.runs;
  v_status text;
begin
  select * into v_run from tenuto.runs where id = p_run_id and org_id = p_org_id;
  if not found then
    perform tenuto._raise('TN001', format('no run %s', p_run_id));
  end if;
  select status into v_status from tenuto.run_status where id = p_run_id;
  if v_status not in ('completed', 'failed', 'cancelled') then
    perform tenuto._raise('TN004', format('run %s is %s, not final', p_run_id, v_status), 'cancel it first, or wait for its end');
  end if;
  return v_run;
end
$$;
