-- Gives a job of a new version another hash than that of its definition.
create or replace function tenuto._set_job_hash(p_org_id uuid, p_job_id uuid, p_config_hash text)
  returns void
  language sql
as $$
  update tenuto.jobs
  set config_hash = p_config_hash
  where org_id = p_org_id and id = p_job_id;
$$;
