-- Deletes a data object without references. Returns its uri, so that the caller can delete its file.
create or replace function tenuto.delete_object(p_org_id uuid, p_object_id uuid)
  returns text
  language plpgsql
as $$
declare
  v_uri text;
begin
  select o.uri into v_uri from tenuto.data_objects o where o.org_id = p_org_id and o.id = p_object_id for update;
  if not found then
    perform tenuto._raise('TN001', format('no data object %s', p_object_id));
  end if;
  -- A second statement, so that it sees references made before this transaction had the lock.
  delete from tenuto.data_objects o
  where o.org_id = p_org_id and o.id = p_object_id
    and not exists (select from tenuto.data_references r where r.org_id = p_org_id and r.object_id = p_object_id);
  if not found then
    perform tenuto._raise('TN004', format('data object %s is held by a task', p_object_id),
      'it is deleted one day after the last task that holds it');
  end if;
  return v_uri;
end
$$;
