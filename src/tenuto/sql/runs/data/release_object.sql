-- Releases a holder's reference to an object. Returns false if there was no such reference. A group is passed by its id
-- in p_holder_id, or by its name in p_group.
create or replace function tenuto.release_object(
  p_org_id uuid, p_object_id uuid, p_holder text, p_holder_id uuid default null, p_group text default null)
  returns boolean
  language plpgsql
as $$
begin
  if p_group is not null then
    p_holder_id := tenuto._object_holder(p_org_id, p_holder, p_holder_id, p_group);
  end if;
  delete from tenuto.data_references
  where org_id = p_org_id and object_id = p_object_id and holder = p_holder and holder_id = p_holder_id;
  if not found then
    return false;
  end if;
  perform tenuto._audit(p_org_id, 'object', p_object_id::text, 'release',
    p_old => jsonb_build_object(p_holder, coalesce(p_group, p_holder_id::text)));
  return true;
end
$$;
