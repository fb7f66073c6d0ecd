-- Raises TN004 for a run id that is already used and is not the id of a run of the org. The message does not say what
-- uses the id, because it may belong to another org.
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
