-- Returns the id of an org by its slug.
create or replace function tenuto.find_org(p_slug text)
  returns uuid
  language plpgsql
  stable
as $$
declare
  v_id uuid;
begin
  select id into v_id from tenuto.orgs where slug = p_slug;
  if not found then
    perform tenuto._raise('TN001', format('no org %L', p_slug));
  end if;
  return v_id;
end
$$;
