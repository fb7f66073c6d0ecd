-- Raises TN001 if the run does not exist in the org, and TN004 if it is final.
create or replace function tenuto._open_run(p_org_id uuid, p_run_id uuid)
  returns void
  language plpgsql
  stable
as $$
declare
  v_status text := (tenuto._find_run(p_org_id, p_run_id)).status;
begin
  if v_status in ('completed', 'failed', 'cancelled') then
    perform tenuto._raise('TN004', format('run %s is already %s', p_run_id, v_status));
  end if;
end
$$;
