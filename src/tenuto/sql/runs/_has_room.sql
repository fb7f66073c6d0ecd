-- Whether the task's resource group may run one more. Counted under the group's row lock, as _share_out does.
create or replace function tenuto._has_room(p_task_id uuid)
  returns boolean
  language plpgsql
as $$
declare
  v_group tenuto.resource_groups;
begin
  select g.* into v_group
  from tenuto.tasks t
  join tenuto.resource_groups g on g.no = t.group_no
  where t.id = p_task_id and g.quota is not null
  for no key update of g;
  return not found or (select count(*) < v_group.quota from tenuto.running_tasks r where r.group_no = v_group.no);
end
$$;
