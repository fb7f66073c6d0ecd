-- Raises TN004 for a run id that is taken by something other than a run of the org, without saying by what.
create or replace function tenuto._check_known_id(p_org_id uuid, p_run_id uuid)
  returns void
  language plpgsql
  stable
as $$
begin
  if not exists (select from tenuto.runs r where r.id = p_run_id and r.org_id = p_org_id) then
    perform tenuto._raise('TN004', format('the id %s cannot be used', p_run_id), 'make another UUID');
  end if;
end
$$;
