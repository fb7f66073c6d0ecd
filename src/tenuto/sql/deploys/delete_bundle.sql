-- Deletes a bundle: no worker runs its types until a bundle with them is put again.
create or replace function tenuto.delete_bundle(p_org_id uuid, p_sha256 text)
  returns void
  language plpgsql
as $$
begin
  delete from tenuto.bundles where org_id = p_org_id and sha256 = p_sha256;
  if not found then
    perform tenuto._raise('TN001', format('no bundle %s', left(p_sha256, 64)));
  end if;
end
$$;
