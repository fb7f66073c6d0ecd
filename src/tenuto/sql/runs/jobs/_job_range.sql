-- Returns the size of the partitions of a job if they are ranges; null means any size. If the job runs per partition,
-- the size comes from the map of an input that starts its tasks. If the job is a source, the size comes from its
-- outputs. Returns no row if the partitions are not ranges.
create or replace function tenuto._job_range(p_job tenuto.jobs)
  returns table (size bigint)
  language sql
  stable
as $$
  select (s.scheme ->> 'size')::bigint
  from (
    select i.definition -> 'map' as scheme
    from tenuto.job_inputs i
    where i.org_id = p_job.org_id and i.job_id = p_job.id and i.definition -> 'trigger' <> 'null'
      and p_job.definition ->> 'execution_strategy' = 'PerPartition'
    union all
    select o.value -> 'partition'
    from jsonb_array_elements(p_job.definition -> 'outputs') o
    where p_job.activation = 'source') s
  where s.scheme ->> 'kind' = 'range'
  limit 1;
$$;
