-- Returns a run of the org and its live status. Raises TN001 if it does not exist.
create or replace function tenuto._find_run(p_org_id uuid, p_run_id uuid, out run tenuto.runs, out status text)
  language plpgsql
  stable
as $$
begin
  select r.* into run from tenuto.runs r where r.id = p_run_id and r.org_id = p_org_id;
  if not found then
    perform tenuto._raise('TN001', format('no run %s', p_run_id));
  end if;
  select s.status into status from tenuto.run_status s where s.id = p_run_id;
end
$$;
