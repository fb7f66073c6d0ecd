-- Shows runs as the table `jobs` of Spider does. An update of the state to CANCELLED cancels the run.
create or replace view tenuto_compat_spider.jobs
  with (security_invoker = true)
as
select
  r.id,
  g.id as resource_group_id,
  r.created_at as creation_time,
  case r.status
    when 'retrying' then 'PENDING_RETRY'
    when 'completed' then 'SUCCEEDED'
    when 'failed' then 'FAILED'
    when 'cancelled' then 'CANCELLED'
    else 'RUNNING'
  end as state,
  u.max_attempts - 1 as max_num_retries,
  u.attempt - 1 as num_retries
from tenuto.run_status r
join tenuto.runs u on u.id = r.id
join tenuto.resource_groups g on g.no = u.group_no
where r.org_id = (select tenuto_compat._org_id());

create or replace trigger cancels_a_run
  instead of update on tenuto_compat_spider.jobs
  for each row execute function tenuto_compat._cancel_or_refuse('run', 'CANCELLED', 'tasks end a run');

create or replace trigger refuses_writes
  instead of insert or delete on tenuto_compat_spider.jobs
  for each row execute function tenuto_compat._refuse_write(
    'start runs with tn.start or tenuto.start_run, delete them with tenuto.delete_run');
