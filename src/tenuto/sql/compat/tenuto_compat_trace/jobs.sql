-- Shows jobs of all versions of DAGs as the table `jobs` of Trace does.
create or replace view tenuto_compat_trace.jobs
  with (security_invoker = true)
as
select
  j.id,
  j.org_id,
  j.name,
  d.name as dag_name,
  j.dag_version_id,
  j.activation,
  j.runtime,
  j.operator,
  nullif(j.definition -> 'source', 'null') as source,
  nullif(j.definition -> 'bootstrap', 'null') as bootstrap,
  j.definition ->> 'execution_strategy' as execution_strategy,
  j.definition ->> 'idle_timeout' as idle_timeout,
  j.definition -> 'config' as config,
  j.config_hash,
  array(
    select i.dataset_id::text
    from tenuto.job_inputs i
    where i.org_id = j.org_id and i.job_id = j.id and i.dataset_id is not null
    order by i.no) as input_datasets,
  array(
    select o.dataset_id::text
    from tenuto.job_outputs o
    where o.org_id = j.org_id and o.job_id = j.id and o.dataset_id is not null
    order by o.no) as output_datasets,
  j.definition ->> 'update_strategy' as update_strategy,
  case when jsonb_typeof(j.definition -> 'unique_key') = 'array'
       then array(select jsonb_array_elements_text(j.definition -> 'unique_key'))
  end as unique_key,
  nullif(j.definition -> 'scaling', 'null') as scaling,
  (j.definition ->> 'timeout_seconds')::int as timeout_seconds,
  (j.definition ->> 'heartbeat_timeout_seconds')::int as heartbeat_timeout_seconds,
  (j.definition ->> 'max_attempts')::int as max_attempts,
  v.created_at,
  v.created_at as updated_at
from tenuto.jobs j
join tenuto.dag_versions v on v.org_id = j.org_id and v.id = j.dag_version_id
join tenuto.dags d on d.org_id = v.org_id and d.id = v.dag_id and d.deleted_at is null
where j.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_trace.jobs
  for each row execute function tenuto_compat._refuse_write('use tenuto deploy');
