-- Queues the routing of the events that waited for a job which is no longer paused or held. p_delay: how long
-- dispatchers wait before they route the events.
create or replace function tenuto._resume_events(
  p_org_id uuid, p_job_key uuid, p_delay interval default '0')
  returns void
  language sql
as $$
  select tenuto._publish(p_org_id, 'route_event', array[jsonb_build_object('job', p_job_key)], p_delay);
$$;
