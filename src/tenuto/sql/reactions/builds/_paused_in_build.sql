-- Returns why a build has to wait although all of its tasks have ended; null if it need not wait. It waits while events
-- wait for a paused job, or while such events are not routed yet after the job was resumed.
create or replace function tenuto._paused_in_build(p_build tenuto.builds)
  returns text
  language sql
  stable
as $$
  select case when k.paused_at is not null then format('job %s is paused', j.name)
              else format('events of job %s are not routed yet', j.name) end
  from tenuto.jobs j
  join tenuto.job_controls k on k.org_id = j.org_id and k.job_key = j.job_key
  join tenuto.dag_versions v on v.org_id = j.org_id and v.id = j.dag_version_id and v.status = 'building'
  where j.org_id = p_build.org_id and j.dag_version_id = p_build.dag_version_id
    and exists (
      select from tenuto.event_reactions r
      where r.org_id = j.org_id and r.job_id = j.id and r.reaction = 'paused'
        and r.reason like 'the job is paused%')
  order by j.name
  limit 1;
$$;
