-- Replaces the settings of an org.
create or replace function tenuto.set_org_settings(p_org_id uuid, p_settings jsonb)
  returns void
  language plpgsql
as $$
declare
  v_slug text;
begin
  perform tenuto._check_org_settings(p_settings);
  update tenuto.orgs set settings = p_settings where id = p_org_id returning slug into v_slug;
  if not found then
    perform tenuto._raise('TN001', format('no org %s', p_org_id));
  end if;
  perform tenuto._audit(p_org_id, 'org', v_slug, 'set', jsonb_build_object('settings', p_settings));
end
$$;
