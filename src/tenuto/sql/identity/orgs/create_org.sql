-- Creates an org with its default resource group and returns its id.
create or replace function tenuto.create_org(p_slug text, p_name text default null, p_settings jsonb default '{}')
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid := tenuto._uuid7();
begin
  if p_slug is null or p_slug !~ '^[a-z0-9][a-z0-9_-]{0,62}$' then
    perform tenuto._raise('TN003', format('org slug %L is not 1 to 63 characters of a-z, 0-9, - and _', p_slug));
  end if;
  perform tenuto._check_name('the name of the org', p_name);
  perform tenuto._check_org_settings(p_settings);

  insert into tenuto.orgs (id, slug, name, settings, created_at)
  values (v_id, p_slug, coalesce(p_name, p_slug), p_settings, tenuto.now())
  on conflict (slug) do nothing;
  if not found then
    perform tenuto._raise('TN004', format('org %s exists already', p_slug));
  end if;

  insert into tenuto.resource_groups (id, org_id, external_id, created_at)
  values (tenuto._uuid7(), v_id, 'default', tenuto.now());
  perform tenuto._audit(v_id, 'org', p_slug, 'create', jsonb_build_object('name', p_name, 'settings', p_settings));
  return v_id;
end
$$;
