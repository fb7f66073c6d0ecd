-- Returns the org of a client that uses the compatibility schemas: the tables and functions with the names of another
-- system. This is the setting tenuto.org_id, which can be stored for its login (alter role … set tenuto.org_id = …), or
-- else the org `default`.
create or replace function tenuto_compat._org_id()
  returns uuid
  language sql
  stable parallel safe
as $$
  select coalesce(tenuto._org_id(), (select o.id from tenuto.orgs o where o.slug = 'default'));
$$;
