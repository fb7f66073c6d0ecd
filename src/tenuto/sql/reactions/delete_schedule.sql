-- Deletes a schedule: it starts no more runs. Runs that it started continue.
create or replace function tenuto.delete_schedule(p_org_id uuid, p_name text)
  returns void
  language plpgsql
as $$
begin
  delete from tenuto.schedules where org_id = p_org_id and name = p_name;
  if not found then
    perform tenuto._raise('TN001', format('no schedule %s', p_name), 'list the schedules to see which exist');
  end if;
  perform tenuto.unpark_rows('fire_schedules', array[p_org_id || ':' || p_name]);
end
$$;
