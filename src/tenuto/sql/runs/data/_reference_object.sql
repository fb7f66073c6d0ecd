-- Makes a run, a resource group or a task hold an object, as reference_object does, without an audit entry.
create or replace function tenuto._reference_object(
  p_org_id uuid, p_object_id uuid, p_holder text, p_holder_id uuid, p_group text default null)
  returns void
  language plpgsql
as $$
begin
  perform from tenuto.data_objects where org_id = p_org_id and id = p_object_id for key share;
  if not found then
    perform tenuto._raise('TN001', format('no data object %s', p_object_id));
  end if;
  insert into tenuto.data_references (object_id, holder, holder_id, org_id)
  values (p_object_id, p_holder, tenuto._object_holder(p_org_id, p_holder, p_holder_id, p_group), p_org_id)
  on conflict do nothing;
end
$$;
