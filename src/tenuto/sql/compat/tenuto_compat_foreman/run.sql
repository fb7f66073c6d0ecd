-- Shows runs as the table `run` of Foreman does. An insert opens a run, to which inserts into `task` add tasks. An
-- update of the status to cancelled cancels the run. org_id is the slug of the org.
create or replace view tenuto_compat_foreman.run
  with (security_invoker = true)
as
select
  r.id,
  o.slug as org_id,
  case r.status when 'retrying' then 'running' else r.status end as status,
  coalesce(r.input, 'null') as input_data,
  r.output as output_data,
  r.error as error_data,
  r.metadata,
  r.total_tasks,
  r.completed_tasks,
  r.failed_tasks,
  r.created_at,
  r.started_at,
  r.completed_at,
  round(r.duration_seconds * 1000)::bigint as duration_ms
from tenuto.run_status r
join tenuto.orgs o on o.id = r.org_id
where r.org_id = (select tenuto_compat._org_id());

create or replace trigger opens_a_run
  instead of insert on tenuto_compat_foreman.run
  for each row execute function tenuto_compat_foreman._insert_run();

create or replace trigger cancels_a_run
  instead of update on tenuto_compat_foreman.run
  for each row execute function tenuto_compat._cancel_or_refuse(
    'run', 'cancelled', 'call tenuto.close_run(tenuto.find_org(org_id), id): the run ends after its last task');

create or replace trigger deletes_nothing
  instead of delete on tenuto_compat_foreman.run
  for each row execute function tenuto_compat._refuse_write('call tenuto.delete_run');
