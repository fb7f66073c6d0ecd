-- Appends values to an open run's data from outside its tasks.
create or replace function tenuto.put_run_data(p_org_id uuid, p_run_id uuid, p_values jsonb, p_tags text[] default '{}')
  returns uuid[]
  language plpgsql
as $$
begin
  perform tenuto._open_run(p_org_id, p_run_id);
  return tenuto._write_run_data(p_org_id, p_run_id, null, null, p_values, p_tags);
end
$$;
