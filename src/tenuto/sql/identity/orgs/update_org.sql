-- Changes the name or the settings of an org; a parameter that is null changes nothing.
create or replace function tenuto.update_org(p_org_id uuid, p_name text default null, p_settings jsonb default null)
  returns void
  language plpgsql
as $$
declare
  v_old tenuto.orgs;
begin
  perform tenuto._check_name('the name of the org', p_name);
  if p_settings is not null then
    perform tenuto._check_org_settings(p_settings);
  end if;
  select o.* into v_old from tenuto.orgs o where o.id = p_org_id for no key update;
  if not found then
    perform tenuto._raise('TN001', format('no org %s', p_org_id));
  end if;
  update tenuto.orgs
  set name = coalesce(p_name, name),
      settings = coalesce(p_settings, settings)
  where id = p_org_id;
  perform tenuto._audit(p_org_id, 'org', v_old.slug, 'set',
    jsonb_build_object('name', p_name, 'settings', p_settings),
    jsonb_build_object(
      'name', case when p_name is not null then v_old.name end,
      'settings', case when p_settings is not null then v_old.settings end));
end
$$;
