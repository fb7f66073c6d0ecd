-- Returns true if the task's resource group can run one more task. Counts running tasks under the group's row lock, as
-- _apply_quotas does.
create or replace function tenuto._group_below_quota(p_task_id uuid)
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
  -- A second statement, so that it sees the claims of the transaction that held the lock before. See _apply_quotas for
  -- the default group.
  return case
    when v_group.no is null then true
    when v_group.external_id = 'default'
      then (select count(*) < v_group.quota from tenuto.running_tasks r where r.group_no = v_group.no)
    else (
      select count(*) < v_group.quota
      from tenuto.running_tasks r
      where r.group_no = v_group.no and tenuto._grouped(r.flags))
  end;
end
$$;
