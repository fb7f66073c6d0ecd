-- Releases a holder's reference to an object. Returns whether there was one.
create or replace function tenuto.release_object(p_org_id uuid, p_object_id uuid, p_holder text, p_holder_id uuid)
  returns boolean
  language plpgsql
as $$
begin
  delete from tenuto.data_references
  where org_id = p_org_id and object_id = p_object_id and holder = p_holder and holder_id = p_holder_id;
  return found;
end
$$;
