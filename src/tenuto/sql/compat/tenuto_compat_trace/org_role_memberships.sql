-- Shows members of roles as the table `org_role_memberships` of Trace does.
create or replace view tenuto_compat_trace.org_role_memberships
  with (security_invoker = true)
as
select m.role_id, m.user_id, m.created_at
from tenuto.org_role_memberships m
where m.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_trace.org_role_memberships
  for each row execute function tenuto_compat._refuse_write('use tenuto roles or /v1/roles');
