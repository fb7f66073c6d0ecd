-- Returns the number of a resource group. The functions that start and claim tasks use this number instead of the
-- group's id. If p_external_id is null, returns the number of the org's default group. Raises TN001 if there is no such
-- group.
create or replace function tenuto._group_no(p_org_id uuid, p_external_id text)
  returns int
  language plpgsql
  stable
as $$
declare
  v_no int;
begin
  select no into v_no
  from tenuto.resource_groups
  where org_id = p_org_id and external_id = coalesce(p_external_id, 'default') and deleted_at is null;
  if not found then
    perform tenuto._raise('TN001',
      format('no resource group %L in org %s', coalesce(p_external_id, 'default'), p_org_id));
  end if;
  return v_no;
end
$$;
