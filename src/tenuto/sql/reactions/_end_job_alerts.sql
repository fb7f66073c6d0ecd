-- Queues effects that end the alerts of jobs which are in version p_from of a DAG and not in version p_to, because no
-- task of these jobs can end them any more. p_to is null if the DAG is deleted.
create or replace function tenuto._end_job_alerts(p_org_id uuid, p_dag_id uuid, p_from uuid, p_to uuid)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._publish_ordered(p_org_id, 'raise_alerts',
    jsonb_build_object('job', d.name || '/' || j.name, 'alerts', '[]'::jsonb), 'alerts of ' || j.id,
    tenuto._uuid7()::text)
  from tenuto.dags d
  cross join (   -- grouped: without statistics of the new version, a self-join would read all jobs for each job
    select n.name, (array_agg(n.id))[1] as id
    from tenuto.jobs n
    where n.org_id = p_org_id and n.dag_version_id in (p_from, p_to)
    group by n.name
    having bool_and(n.dag_version_id = p_from)
  ) j
  where d.org_id = p_org_id and d.id = p_dag_id;
end
$$;
