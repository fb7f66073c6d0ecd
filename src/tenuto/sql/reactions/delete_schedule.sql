-- Deletes a schedule: it starts no more runs. Runs that it started continue.
create or replace function tenuto.delete_schedule(p_org_id uuid, p_name text)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._delete_schedule(p_org_id, p_name);
  perform tenuto._audit(p_org_id, 'schedule', p_name, 'delete');
end
$$;
