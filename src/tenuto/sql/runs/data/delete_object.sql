-- Deletes a data object. Returns its uri, so that the caller can delete its file. Raises TN004 if the object has
-- references.
create or replace function tenuto.delete_object(p_org_id uuid, p_object_id uuid)
  returns text
  language plpgsql
as $$
declare
  v_uri text;
begin
  perform tenuto._require_read_committed();
  select o.uri into v_uri from tenuto.data_objects o where o.org_id = p_org_id and o.id = p_object_id for update;
  if not found then
    perform tenuto._raise('TN001', format('no data object %s', p_object_id));
  end if;
  -- A second statement, so that it sees references that were added before this transaction got the lock.
  delete from tenuto.data_objects o
  where o.org_id = p_org_id and o.id = p_object_id
    and not exists (select from tenuto.data_references r where r.org_id = p_org_id and r.object_id = p_object_id);
  if not found then
    perform tenuto._raise('TN004',
      (select format('data object %s is held by %s %s', p_object_id, r.holder, r.holder_id)
       from tenuto.data_references r
       where r.org_id = p_org_id and r.object_id = p_object_id
       order by r.holder, r.holder_id
       limit 1),
      'it is deleted after all tasks, runs and resource groups that hold it are deleted, unless it is persisted');
  end if;
  perform tenuto._audit(p_org_id, 'object', p_object_id::text, 'delete');
  return v_uri;
end
$$;
