-- Gives a job of a new version another hash than that of jobs with its definition that were computed from these
-- datasets.
create or replace function tenuto._tell_job_apart(p_org_id uuid, p_job_id uuid, p_lost uuid[])
  returns void
  language sql
as $$
  update tenuto.jobs
  set config_hash = encode(sha256(convert_to(config_hash || ':' || array_to_string(p_lost, ','), 'UTF8')), 'hex')
  where org_id = p_org_id and id = p_job_id;
$$;
