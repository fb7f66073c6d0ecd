-- Deletes the schedules and webhooks of a DAG, which start its source jobs, and cancels the tasks of its continuous
-- sources.
create or replace function tenuto._delete_sources(p_org_id uuid, p_dag_id uuid)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._put_job_schedules(p_org_id, p_dag_id, null);   -- null: no schedules
  delete from tenuto.webhooks w
  using tenuto.job_controls c
  where c.org_id = p_org_id and c.dag_id = p_dag_id and w.org_id = c.org_id and w.job_key = c.job_key;
end
$$;
