-- Returns the periods (hour, day, week, month) that the tasks of a job can have as partitions: the periods of its
-- outputs, and the periods to which the inputs that start its tasks are mapped. Returns null if a task can have any
-- key. This is so if an input that starts tasks does not have partitions by time, or if there is no such input and no
-- output has partitions by time.
create or replace function tenuto._job_periods(p_job tenuto.jobs)
  returns text[]
  language sql
  stable
as $$
  with schemes as (
    select o.value -> 'partition' as scheme, false as is_input
    from jsonb_array_elements(p_job.definition -> 'outputs') o
    where o.value #>> '{partition,kind}' = 'time'
    union all
    select case when coalesce(i.definition #>> '{map,kind}', 'identity') <> 'identity' then i.definition -> 'map'
                else p.definition -> 'outputs' -> d.output -> 'partition' end, true
    from tenuto.job_inputs i
    left join tenuto.datasets d on d.org_id = i.org_id and d.id = i.dataset_id
    left join tenuto.dag_current_versions c on c.org_id = d.org_id and c.dag_id = d.dag_id
    left join tenuto.jobs p on p.org_id = d.org_id and p.dag_version_id = c.dag_version_id and p.job_key = d.job_key
    where i.org_id = p_job.org_id and i.job_id = p_job.id and i.definition -> 'trigger' <> 'null'
  )
  select case when not coalesce(bool_or(s.is_input and s.scheme ->> 'kind' is distinct from 'time'), false)
              then array_agg(distinct s.scheme ->> 'every') end
  from schemes s;
$$;
