-- -> queued: starts one task of a job for each fire time of its schedule and returns the new runs. The same fire time
-- starts only one task, even in a second call. For a continuous source, calls _keep_source_running instead.
create or replace function tenuto._fire_job(p_org_id uuid, p_job_key uuid, p_moments timestamptz[])
  returns uuid[]
  language plpgsql
as $$
declare
  v_schedule tenuto.schedules;
  v_times text[] := array(
    select to_char(m at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    from unnest(p_moments) with ordinality u(m, no)
    order by u.no);
begin
  select s.* into v_schedule from tenuto.schedules s where s.org_id = p_org_id and s.job_key = p_job_key;
  if v_schedule.continuous then
    return tenuto._keep_source_running(v_schedule);
  end if;
  return array(
    select s.run_id
    from unnest(tenuto._start_source(p_org_id, p_job_key, p_moments,
      array(select jsonb_build_object('kind', 'cron', 'fire_time', t) from unnest(v_times) with ordinality u(t, no)
            order by u.no),
      '@schedule', v_times)) s
    where s.created
    order by s.no);
end
$$;
