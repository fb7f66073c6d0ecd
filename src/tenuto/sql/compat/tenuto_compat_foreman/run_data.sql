-- Shows run data as the table `run_data` of Foreman does: the last value of each key. An insert writes a value, which
-- replaces the last value of its key. org_id is the slug of the org.
create or replace view tenuto_compat_foreman.run_data
  with (security_invoker = true)
as
select
  d.id,
  d.run_id,
  d.task_id,
  o.slug as org_id,
  d.key,
  d.value,
  d.metadata,
  d.created_at,
  coalesce(d.updated_at, d.created_at) as updated_at
from tenuto.run_data d
join tenuto.orgs o on o.id = d.org_id
where d.org_id = (select tenuto_compat._org_id())
  and not exists (select from tenuto.run_data n where n.run_id = d.run_id and n.key = d.key and n.id > d.id);

create or replace trigger writes_a_value
  instead of insert on tenuto_compat_foreman.run_data
  for each row execute function tenuto_compat_foreman._insert_run_data();

create or replace trigger refuses_changes
  instead of update or delete on tenuto_compat_foreman.run_data
  for each row execute function tenuto_compat._refuse_write(
    'insert the key again, which replaces its value, or call tenuto.delete_run_data');
