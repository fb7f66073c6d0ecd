-- Shows roles of the org as the table `org_roles` of Trace does.
create or replace view tenuto_compat_trace.org_roles
  with (security_invoker = true)
as
select r.id, r.org_id, r.name as slug, coalesce(r.display_name, r.name) as name, r.created_at
from tenuto.org_roles r
where r.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_trace.org_roles
  for each row execute function tenuto_compat._refuse_write('use tenuto roles or /v1/roles');
