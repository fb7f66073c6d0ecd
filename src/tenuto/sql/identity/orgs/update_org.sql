-- Changes the name or the settings of an org; null leaves a value as it is.
create or replace function tenuto.update_org(p_org_id uuid, p_name text default null, p_settings jsonb default null)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._check_name('the name of the org', p_name);
  if p_settings is not null then
    perform tenuto._check_org_settings(p_settings);
  end if;
  update tenuto.orgs
  set name = coalesce(p_name, name),
      settings = coalesce(p_settings, settings)
  where id = p_org_id;
  if not found then
    perform tenuto._raise('TN001', format('no org %s', p_org_id));
  end if;
end
$$;
