-- Returns one bundle by its hash. Raises TN001 if there is none.
create or replace function tenuto.get_bundle(p_org_id uuid, p_sha256 text)
  returns table (
    id uuid, sha256 text, name text, manifest jsonb, size bigint, types text[], created_by text, created_at timestamptz)
  language plpgsql
  stable
as $$
begin
  return query
  select b.id, b.sha256, b.name, b.manifest, b.size,
         array(select t.type from tenuto.bundle_types t where t.org_id = b.org_id and t.sha256 = b.sha256 order by 1),
         b.created_by, b.created_at
  from tenuto.bundles b
  where b.org_id = p_org_id and b.sha256 = p_sha256;
  if not found then
    perform tenuto._raise('TN001', format('no bundle %s', left(p_sha256, 64)),
      'upload it first');
  end if;
end
$$;
