-- Returns the id of a run, task or resource group that can hold data objects. A group is passed by its id in
-- p_holder_id, or by its name in p_group. Raises TN003 for another kind of holder, and TN001 if the holder does not
-- exist.
create or replace function tenuto._object_holder(p_org_id uuid, p_holder text, p_holder_id uuid, p_group text)
  returns uuid
  language plpgsql
  stable
as $$
declare
  v_id uuid;
begin
  if p_holder is null or p_holder not in ('run', 'group', 'task') then
    perform tenuto._raise('TN003', format('a data object cannot be attached to %L', p_holder),
      'write run, group or task');
  end if;
  if num_nonnulls(p_holder_id, p_group) <> 1 or (p_group is not null and p_holder <> 'group') then
    perform tenuto._raise('TN003', 'what a data object is attached to needs an id, or a name if it is a group',
      'pass either an id, or the name of a group');
  end if;
  case p_holder
  when 'run' then
    select r.id into v_id from tenuto.runs r where r.id = p_holder_id and r.org_id = p_org_id;
  when 'task' then
    select t.id into v_id from tenuto.tasks t where t.id = p_holder_id and t.org_id = p_org_id;
  else
    select g.id into v_id
    from tenuto.resource_groups g
    where g.org_id = p_org_id
      and (g.id = p_holder_id or g.external_id = p_group)
      and g.deleted_at is null;
  end case;
  if v_id is null then
    perform tenuto._raise('TN001', format('no %s %s', p_holder, coalesce(p_holder_id::text, left(p_group, 256))));
  end if;
  return v_id;
end
$$;
