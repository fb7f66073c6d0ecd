-- Returns the bundle that a job runs, the task type in it, and max_attempts and timeout_seconds of the job. Returns
-- null for a job that runs no bundle.
create or replace function tenuto._describe_udf(p_org_id uuid, p_definition jsonb)
  returns jsonb
  language sql
  stable
as $$
  select u.udf || jsonb_build_object(
    'type', (select b.name || '.' || (u.udf ->> 'task')
             from tenuto.bundles b
             where b.org_id = p_org_id and b.sha256 = u.udf ->> 'bundle'),
    'max_attempts', p_definition -> 'max_attempts',
    'timeout_seconds', p_definition -> 'timeout_seconds')
  from (select p_definition -> 'udf' as udf) u
  where jsonb_typeof(u.udf) = 'object';
$$;
