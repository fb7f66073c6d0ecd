-- Pauses a job: it starts no tasks until it is resumed, in this version of its DAG and in later ones. Idempotent: a
-- second call keeps the time of the first, and replaces the reason if it passes one.
create or replace function tenuto.pause_job(p_org_id uuid, p_dag text, p_name text, p_reason text default null)
  returns void
  language plpgsql
as $$
declare
  v_key uuid := tenuto._find_job_key(p_org_id, p_dag, p_name);
begin
  perform tenuto._check_name('the reason of a pause', p_reason, 1024);
  perform tenuto._lock_dag(p_org_id, p_dag);   -- no event is routed to the job meanwhile
  update tenuto.job_controls
  set paused_at = coalesce(paused_at, tenuto.now()),
      pause_reason = coalesce(p_reason, pause_reason)
  where org_id = p_org_id
    and job_key = v_key;
  perform tenuto._audit(p_org_id, 'job', p_dag || '/' || p_name, 'pause', jsonb_build_object('reason', p_reason));
end
$$;
