-- Returns the org of the client. p_slug: the text of a column org_id, which is the slug of an org. Raises TN009 if it
-- is not the client's own org.
create or replace function tenuto_compat._check_org(p_slug text)
  returns uuid
  language plpgsql
  stable
as $$
declare
  v_org_id uuid := tenuto_compat._org_id();
begin
  if p_slug <> (select o.slug from tenuto.orgs o where o.id = v_org_id) then
    perform tenuto._raise('TN009', format('%s is not the org of this connection', left(p_slug, 256)),
      'leave out org_id, or connect with a login whose tenuto.org_id is that org');
  end if;
  return v_org_id;
end
$$;
