-- Returns a page of bundles, newest first, starting before the id p_before. types: the types that the bundle runs now.
create or replace function tenuto.list_bundles(p_org_id uuid, p_before uuid default null, p_limit int default 50)
  returns table (id uuid, sha256 text, name text, size bigint, types text[], created_by text, created_at timestamptz)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select b.id, b.sha256, b.name, b.size,
         array(select t.type from tenuto.bundle_types t where t.org_id = b.org_id and t.sha256 = b.sha256 order by 1),
         b.created_by, b.created_at
  from tenuto.bundles b
  where b.org_id = p_org_id and (p_before is null or b.id < p_before)
  order by b.id desc
  limit p_limit;
end
$$;
