-- Queues the routing of the events that waited for a DAG version, if the version is current and has such events.
create or replace function tenuto._resume_version(p_build tenuto.builds)
  returns void
  language sql
  set plan_cache_mode = force_custom_plan
as $$
  select tenuto._route_paused(v.org_id, v.id)
  from tenuto.dag_versions v
  where v.org_id = p_build.org_id and v.id = p_build.dag_version_id and v.status = 'current'
    and exists (
      select from tenuto.jobs j
      join tenuto.event_reactions r on r.org_id = j.org_id and r.job_id = j.id and r.reaction = 'paused'
      where j.org_id = v.org_id and j.dag_version_id = v.id);
$$;
