-- Stores a bundle that the caller has checked. From now on, this bundle runs its types. Returns true if the bundle is
-- new: then the caller must add its parts in the same transaction. Storing an old bundle again makes it run its types
-- again.
create or replace function tenuto.put_bundle(
  p_org_id uuid, p_sha256 text, p_manifest jsonb, p_size bigint, p_created_by text)
  returns boolean
  language plpgsql
as $$
declare
  v_name text := p_manifest ->> 'name';
  v_new boolean;
begin
  perform tenuto._check_name('created_by of a bundle', coalesce(p_created_by, ''));
  if jsonb_typeof(p_manifest -> 'tasks') is distinct from 'object' or p_manifest -> 'tasks' = '{}' then
    perform tenuto._raise('TN003', 'the manifest of a bundle has no tasks',
      'write "tasks": {"name": "module:function"}');
  end if;
  if starts_with(v_name || '.', 'tenuto.') then
    perform tenuto._raise('TN003', 'a bundle cannot have the name tenuto: types that begin with it are operators',
      'give the bundle another name');
  end if;
  perform tenuto._check_served(p_org_id, v_name, p_manifest -> 'tasks');

  insert into tenuto.bundles (id, org_id, sha256, name, manifest, size, created_by, created_at)
  values (tenuto._uuid7(), p_org_id, p_sha256, v_name, p_manifest, p_size, p_created_by, tenuto.now())
  on conflict (org_id, sha256) do nothing;
  v_new := found;

  insert into tenuto.bundle_types (org_id, type, sha256, entry)
  select p_org_id, v_name || '.' || t.key, p_sha256, t.value
  from jsonb_each_text(p_manifest -> 'tasks') t
  on conflict (org_id, type) do update set sha256 = excluded.sha256, entry = excluded.entry;

  if (select count(*) from tenuto.bundle_types b where b.org_id = p_org_id) > 500 then
    perform tenuto._raise('TN003', 'the bundles of the org would have more than 500 types',
      'delete bundles that are no longer used');
  end if;
  perform tenuto._audit(p_org_id, 'bundle', p_sha256, 'put', jsonb_build_object(
    'name', v_name,
    'types', array(select v_name || '.' || t from jsonb_object_keys(p_manifest -> 'tasks') t limit 20)));
  return v_new;
end
$$;
