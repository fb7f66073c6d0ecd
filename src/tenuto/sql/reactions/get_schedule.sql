-- Returns a schedule. Raises TN001 if there is none of this name.
create or replace function tenuto.get_schedule(p_org_id uuid, p_name text)
  returns tenuto.schedules
  language plpgsql
  stable
as $$
declare
  v_schedule tenuto.schedules;
begin
  select * into v_schedule from tenuto.schedules s where s.org_id = p_org_id and s.name = p_name;
  if not found then
    perform tenuto._raise('TN001', format('no schedule %s', p_name), 'list the schedules to see which exist');
  end if;
  return v_schedule;
end
$$;
