-- Shows users as the table `users` of Trace does. external_id is the subject that their issuer gave them.
create or replace view tenuto_compat_trace.users
  with (security_invoker = true)
as
select u.id, u.org_id, u.subject as external_id, u.email, u.platform_role as role, u.created_at
from tenuto.users u
where u.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_trace.users
  for each row execute function tenuto_compat._refuse_write('use tenuto users or /v1/users');
