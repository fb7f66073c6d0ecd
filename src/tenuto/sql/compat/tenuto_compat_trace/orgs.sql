-- Shows the org of the client as the table `orgs` of Trace does.
create or replace view tenuto_compat_trace.orgs
  with (security_invoker = true)
as
select o.id, o.name, o.slug, o.settings, o.created_at
from tenuto.orgs o
where o.id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_trace.orgs
  for each row execute function tenuto_compat._refuse_write('use tenuto orgs or /v1/orgs');
