-- Returns the operator state of the job or type p_job_key: one key, or all keys.
create or replace function tenuto.get_state(p_org_id uuid, p_job_key text, p_key text default null)
  returns table (key text, value jsonb, version bigint, updated_at timestamptz)
  language sql
  stable
as $$
  select s.key, s.value, s.version, s.updated_at
  from tenuto.operator_state s
  where s.org_id = p_org_id and s.job_key = p_job_key and (p_key is null or s.key = p_key)
  order by s.key;
$$;
