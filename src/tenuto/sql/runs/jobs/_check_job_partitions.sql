-- Returns the partition keys of new tasks of a job, as _check_partitions does. If the partitions of the job are periods
-- or ranges, also raises TN003 for a key that is not a period or range of the job. If the partitions are periods, also
-- raises TN003 if p_partitions is null. Null is allowed only for a source, which can choose the partitions that it
-- publishes, and for a job that does not run per partition and has an output without partitions by time.
create or replace function tenuto._check_job_partitions(p_job tenuto.jobs, p_partitions text[])
  returns text[]
  language plpgsql
  stable
as $$
declare
  v_keys text[] := tenuto._check_partitions(p_partitions);
  v_periods text[] := tenuto._job_periods(p_job);
  v_name text := coalesce(p_job.definition #>> '{outputs,0,dataset}', 'job ' || p_job.name);
  v_hint text := (select string_agg(tenuto._time_partition(e, timestamp '2026-11-17 05:00'), ' or ')
                  from unnest(v_periods) e);
  v_bad text;
begin
  if v_periods is null then
    select k into v_bad
    from tenuto._job_range(p_job) r
    cross join unnest(v_keys) k
    where p_partitions is not null and not tenuto._is_range(r.size, k)
    limit 1;
    if found then
      perform tenuto._raise('TN003', format('partition %L of %s is not a range', left(v_bad, 300), v_name),
        format('write ranges such as 0-%s', coalesce((select r.size from tenuto._job_range(p_job) r), 1000)));
    end if;
    return v_keys;
  elsif p_partitions is null then
    if p_job.activation <> 'source' and (
         p_job.definition ->> 'execution_strategy' = 'PerPartition'
         or not exists (
           select from jsonb_array_elements(p_job.definition -> 'outputs') o
           where o.value #>> '{partition,kind}' is distinct from 'time')) then
      perform tenuto._raise('TN003',
        format('job %s computes %s for one %s at a time', p_job.name, v_name, array_to_string(v_periods, ' or ')),
        format('name partitions, such as %s', v_hint));
    end if;
    return v_keys;
  end if;
  select k into v_bad
  from unnest(v_keys) k
  where not exists (select from unnest(v_periods) e where tenuto._is_period(e, k))
  limit 1;
  if found then
    perform tenuto._raise('TN003',
      format('partition %L of %s is not a %s', left(v_bad, 300), v_name, array_to_string(v_periods, ' or ')),
      format('write %s', v_hint));
  end if;
  return v_keys;
end
$$;
