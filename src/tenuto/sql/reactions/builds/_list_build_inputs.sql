-- Returns the inputs from which a DAG version must compute data before it can replace version p_replaced (null: it
-- replaces none). For each job that p_replaced does not define in the same way, these are the inputs with a trigger
-- that have data already. Jobs of the build whose inputs have no data yet are started by events later. A source (input
-- -1) computes again the partitions that it has published. Leaves out sources whose data came from outside and cannot
-- be read again, and sources whose versions each begin without data (reset_outputs).
create or replace function tenuto._list_build_inputs(p_org_id uuid, p_version_id uuid, p_replaced uuid)
  returns table (job_id uuid, job text, input int, dataset_version_id uuid)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  with changed as (
    select j.*
    from tenuto.jobs j
    where j.org_id = p_org_id and j.dag_version_id = p_version_id
      and not exists (
        select from tenuto.jobs o
        where o.org_id = j.org_id and o.dag_version_id = p_replaced
          and o.job_key = j.job_key and o.config_hash = j.config_hash)
  ), inputs as (
    select j.id, j.name, i.no as input, coalesce(s.dataset_version_id, d.current_version_id) as dataset_version_id
    from changed j
    join tenuto.job_inputs i on i.org_id = j.org_id and i.job_id = j.id and i.definition ->> 'trigger' is not null
    left join tenuto.dag_version_datasets s
      on s.org_id = i.org_id and s.dag_version_id = p_version_id and s.dataset_id = i.dataset_id
    left join tenuto.datasets d on d.org_id = i.org_id and d.id = i.dataset_id and i.parent_key is null
    where j.activation = 'reactive'
    union all
    select j.id, j.name, -1, s.dataset_version_id
    from changed j
    join tenuto.dag_version_datasets s
      on s.org_id = j.org_id and s.dag_version_id = p_replaced and s.job_key = j.job_key
    where j.activation = 'source'
      and j.definition #>> '{source,kind}' in ('cron', 'manual')
      and split_part(j.operator, '@', 1) not in ('http_poll', 'webhook')
      and j.definition #>> '{bootstrap,reset_outputs}' is distinct from 'true'
      and s.output = (select min(o.output) from tenuto.dag_version_datasets o
                      where o.org_id = s.org_id and o.dag_version_id = s.dag_version_id and o.job_key = s.job_key)
  )
  select i.id, i.name, i.input, i.dataset_version_id
  from inputs i
  where exists (
    select from tenuto.current_partitions p
    where p.org_id = p_org_id and p.dataset_version_id = i.dataset_version_id);
$$;
