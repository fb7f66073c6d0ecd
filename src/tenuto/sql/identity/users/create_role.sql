-- Creates a role of the org and returns its id. Users can have the role, and it can be allowed to read datasets. Its
-- name is a slug; the display name is free text.
create or replace function tenuto.create_role(
  p_org_id uuid, p_name text, p_description text default null, p_display_name text default null)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid;
begin
  if p_name is null or p_name !~ '^[a-z0-9][a-z0-9_-]{0,62}$' then
    perform tenuto._raise('TN003',
      format('role name %L is not 1 to 63 characters of a-z, 0-9, - and _', left(p_name, 100)));
  end if;
  perform tenuto._check_name('the description of a role', p_description, 1024);
  perform tenuto._check_name('the display name of a role', p_display_name);
  insert into tenuto.org_roles (id, org_id, name, description, display_name, created_at)
  values (tenuto._uuid7(), p_org_id, p_name, p_description, p_display_name, tenuto.now())
  on conflict (org_id, name) do nothing
  returning id into v_id;
  if not found then
    perform tenuto._raise('TN004', format('role %s exists already', p_name));
  end if;
  perform tenuto._audit(p_org_id, 'role', p_name, 'create',
    jsonb_build_object('description', p_description, 'display_name', p_display_name));
  return v_id;
end
$$;
