-- Deletes a resource group with its runs and its references to data objects. Its name can be used again at once;
-- advance_requests deletes the runs later. Raises TN001 if there is no such group, and TN004 for the default group and
-- while a run of the group has not ended. A run that another transaction starts at the same time stays until its
-- retention is over.
create or replace function tenuto.delete_group(p_org_id uuid, p_external_id text)
  returns void
  language plpgsql
as $$
declare
  v_group tenuto.resource_groups;
begin
  perform tenuto._require_read_committed();
  select g.* into v_group
  from tenuto.resource_groups g
  where g.org_id = p_org_id and g.external_id = p_external_id and g.deleted_at is null
  for update;
  if not found then
    perform tenuto._raise('TN001', format('no resource group %s', left(p_external_id, 256)),
      'list the groups to see which exist');
  elsif v_group.external_id = 'default' then
    perform tenuto._raise('TN004', 'the default group cannot be deleted',
      'runs that name no group belong to it');
  elsif tenuto._has_open_work(v_group.no) then
    perform tenuto._raise('TN004', format('resource group %s has runs that have not ended', p_external_id),
      'cancel them first, or wait until they have ended');
  end if;
  perform tenuto._retire_group(v_group.id);
  delete from tenuto.data_references where org_id = p_org_id and holder = 'group' and holder_id = v_group.id;
  insert into tenuto.run_requests (run_id, verb, org_id, base_id, requested_at, worked_at)
  values (v_group.id, 'delete_group', p_org_id, '00000000-0000-0000-0000-000000000000', tenuto.now(), tenuto.now());
  perform tenuto._audit(p_org_id, 'group', p_external_id, 'delete');
end
$$;
