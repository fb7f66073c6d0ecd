-- Resumes a paused job. The events that waited for it are routed. Idempotent.
create or replace function tenuto.resume_job(p_org_id uuid, p_dag text, p_name text)
  returns void
  language plpgsql
as $$
declare
  v_key uuid := tenuto._find_job_key(p_org_id, p_dag, p_name);
begin
  perform tenuto._lock_dag(p_org_id, p_dag);   -- no event is routed to the job meanwhile
  update tenuto.job_controls
  set paused_at = null,
      pause_reason = null
  where org_id = p_org_id
    and job_key = v_key;
  perform tenuto._resume_events(p_org_id, v_key);
  perform tenuto._audit(p_org_id, 'job', p_dag || '/' || p_name, 'resume');
end
$$;
