-- Raises TN003 if a job has a runtime that would never run it. Only bundles run in sandboxes, and bundles run nowhere
-- else. Dispatchers run only operators that need no code of users.
create or replace function tenuto._check_runtimes(p_jobs jsonb)
  returns void
  language plpgsql
as $$
declare
  v_job record;
begin
  select j.value ->> 'name' as name, coalesce(j.value ->> 'runtime', 'null') as runtime, o.operator into v_job
  from jsonb_array_elements(p_jobs) j
  cross join lateral (
    select case split_part(j.value ->> 'operator', '@', 1) when 'udf' then 'bundle'
                else split_part(j.value ->> 'operator', '@', 1) end as operator) o
  where case j.value ->> 'runtime'
    when 'worker' then o.operator = 'bundle'
    when 'sandbox' then o.operator <> 'bundle'
    when 'dispatcher' then o.operator not in ('trigger_cron', 'webhook', 'sink', 'range_aggregator')
    else true end
  limit 1;
  if found then
    perform tenuto._raise('TN003',
      format('job %s: the operator %s does not run in the runtime %s', v_job.name, v_job.operator,
        left(v_job.runtime, 100)),
      'write worker, sandbox for a bundle, or dispatcher for trigger_cron, webhook, sink or range_aggregator');
  end if;
end
$$;
