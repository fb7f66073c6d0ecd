-- Queues the routing of the events that wait for a DAG version, because the version has become current or its build
-- continues. Dispatchers route the events later, so that the caller's transaction stays short even if there are many
-- events.
create or replace function tenuto._route_paused(p_org_id uuid, p_dag_version_id uuid)
  returns void
  language sql
as $$
  select tenuto._publish(p_org_id, 'route_event', array[jsonb_build_object('version', p_dag_version_id)]);
$$;
