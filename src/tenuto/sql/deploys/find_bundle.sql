-- Returns the bundle that runs a type, and its entry point. This is the bundle p_sha256 of the task, or else the bundle
-- with this type that was stored last. Raises TN001 if there is none.
create or replace function tenuto.find_bundle(p_org_id uuid, p_type text, p_sha256 text default null)
  returns table (sha256 text, name text, entry text, types text[])
  language plpgsql
  stable
as $$
begin
  return query
  select b.sha256, b.name, t.value, array(select b.name || '.' || k from jsonb_object_keys(b.manifest -> 'tasks') k)
  from tenuto.bundles b
  cross join jsonb_each_text(b.manifest -> 'tasks') t
  where b.org_id = p_org_id
    and b.sha256 = coalesce(p_sha256,
      (select c.sha256 from tenuto.bundle_types c where c.org_id = p_org_id and c.type = p_type))
    and b.name || '.' || t.key = p_type;
  if not found and p_sha256 is not null then
    perform tenuto._raise('TN001', format('no bundle %s that runs %s', left(p_sha256, 64), p_type),
      'push it first, or name another bundle');
  elsif not found then
    perform tenuto._raise('TN001', format('no bundle runs %s', p_type),
      'upload a bundle that does');
  end if;
end
$$;
