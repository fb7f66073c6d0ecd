-- Deletes what the jobs of a DAG store besides their datasets: the state of their operators, and the limit sizes that
-- were set for them.
create or replace function tenuto._delete_job_state(p_org_id uuid, p_dag_id uuid)
  returns void
  language sql
as $$
  delete from tenuto.limit_overrides o
  using tenuto.job_controls c
  where c.org_id = p_org_id and c.dag_id = p_dag_id
    and o.org_id = c.org_id and o.scope = 'key' and o.key = 'job:' || c.job_key;
  delete from tenuto.operator_state s
  using tenuto.job_controls c
  where c.org_id = p_org_id and c.dag_id = p_dag_id
    and s.org_id = c.org_id and left(s.job_key, 36) = c.job_key::text;   -- s.job_key is the job's key and a version
$$;
