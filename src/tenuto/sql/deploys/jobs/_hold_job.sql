-- Holds a job because of the backlog of a job that reads its outputs. If p_reason is null, releases the job.
create or replace function tenuto._hold_job(p_org_id uuid, p_job_key uuid, p_reason text)
  returns void
  language sql
as $$
  update tenuto.job_controls
  set held_at = case when p_reason is not null then tenuto.now() end,
      hold_reason = left(p_reason, 250)
  where org_id = p_org_id and job_key = p_job_key;
$$;
