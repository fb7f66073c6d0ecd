-- Holds the jobs of an org that produce inputs of a job whose backlog is too large. Releases all other held jobs, and
-- routes the events that waited for them. Routes the events that wait for a released job once more a minute later,
-- because a transaction that saw the job as held may add such an event until then.
create or replace function tenuto._apply_backpressure(p_org_id uuid)
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_job record;
begin
  perform pg_advisory_xact_lock(hashtextextended('tenuto backpressure ' || p_org_id, 0));
  for v_job in
    select c.job_key, h.reason
    from tenuto.job_controls c
    full join tenuto._held_jobs(p_org_id) h on h.job_key = c.job_key
    where c.org_id = p_org_id and (c.held_at is null) <> (h.job_key is null)
    order by c.job_key
  loop
    perform tenuto._hold_job(p_org_id, v_job.job_key, v_job.reason);
    update tenuto.schedules
    set held = v_job.reason is not null and not continuous
    where org_id = p_org_id and job_key = v_job.job_key;
    if v_job.reason is null then
      perform tenuto._resume_events(p_org_id, v_job.job_key);
      perform tenuto._resume_events(p_org_id, v_job.job_key, interval '1 minute');
    end if;
  end loop;
end
$$;
