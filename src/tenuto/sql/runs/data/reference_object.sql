-- Makes a run, a resource group or a task hold an object: it stays until every such reference is released. Idempotent.
create or replace function tenuto.reference_object(p_org_id uuid, p_object_id uuid, p_holder text, p_holder_id uuid)
  returns void
  language plpgsql
as $$
begin
  if p_holder is null or p_holder not in ('run', 'group', 'task') then
    perform tenuto._raise('TN003', format('%L cannot hold a data object', p_holder), 'write run, group or task');
  end if;
  perform from tenuto.data_objects where org_id = p_org_id and id = p_object_id for key share;
  if not found then
    perform tenuto._raise('TN001', format('no data object %s', p_object_id));
  end if;
  if not (case p_holder
           when 'run' then exists (select from tenuto.runs where id = p_holder_id and org_id = p_org_id)
           when 'task' then exists (select from tenuto.tasks where id = p_holder_id and org_id = p_org_id)
           else exists (select from tenuto.resource_groups where id = p_holder_id and org_id = p_org_id)
         end) then
    perform tenuto._raise('TN001', format('no %s %s', p_holder, p_holder_id));
  end if;
  insert into tenuto.data_references (object_id, holder, holder_id, org_id)
  values (p_object_id, p_holder, p_holder_id, p_org_id)
  on conflict do nothing;
end
$$;
