-- Shows the audit log as the table `audit_log` of Foreman does: entries of runs, tasks, run data and API keys. Every
-- action is shown as create, update or delete. org_id is the slug of the org.
create or replace view tenuto_compat_foreman.audit_log
  with (security_invoker = true)
as
select
  a.id,
  o.slug as org_id,
  a.entity as entity_type,
  case when a.entity_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then a.entity_id::uuid end as entity_id,
  case
    when a.action in ('start', 'open', 'add', 'put', 'create', 'import') then 'create'
    when a.action = 'delete' then 'delete'
    else 'update'
  end as action,
  a.changes,
  case when a.actor_kind = 'api_key' then a.actor_id end as api_key_id,
  a.ip as ip_address,
  a.user_agent,
  a.created_at
from tenuto.audit_log a
join tenuto.orgs o on o.id = a.org_id
where a.org_id = (select tenuto_compat._org_id())
  and a.entity in ('run', 'task', 'run_data', 'api_key');

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_foreman.audit_log
  for each row execute function tenuto_compat._refuse_write('every call writes its own entry');
