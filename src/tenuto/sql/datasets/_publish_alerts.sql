-- Queues the alerts that accepted tasks publish with their data, in the transaction that completes the tasks. Queues
-- one effect per partition. A dispatcher then records the alerts for the rules about this job. Only the newest task of
-- a partition counts, and only if its dataset version is current or no version is current yet. _commit_outputs has
-- locked the partitions.
create or replace function tenuto._publish_alerts(p_tasks tenuto.task_outputs[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
begin
  if not exists (
    select from unnest(p_tasks) t, jsonb_array_elements(t.published) p where jsonb_typeof(p -> 'alerts') = 'array'
  ) then
    return;
  end if;
  perform tenuto._publish_ordered(t.org_id, 'raise_alerts',
            jsonb_build_object('job', d.name || '/' || j.name, 'partition', c.partition_key, 'alerts', p -> 'alerts'),
            'alerts ' || s.dataset_version_id || ' ' || md5(c.partition_key), t.task_id::text)
  from unnest(p_tasks) t
  cross join lateral jsonb_array_elements(t.published) p
  join tenuto.dag_version_datasets s
    on s.org_id = t.org_id and s.dag_version_id = t.dag_version_id and s.job_key = t.job_key
   and s.output = (p ->> 'output')::int
  join tenuto.datasets n
    on n.org_id = s.org_id and n.id = s.dataset_id
   and coalesce(n.current_version_id, s.dataset_version_id) = s.dataset_version_id
  join tenuto.current_partitions c
    on c.org_id = s.org_id and c.dataset_version_id = s.dataset_version_id
   and c.partition_key = coalesce(p ->> 'partition', '') and c.task_id = t.task_id
  join tenuto.jobs j on j.org_id = t.org_id and j.dag_version_id = t.dag_version_id and j.job_key = t.job_key
  join tenuto.dag_versions v on v.org_id = t.org_id and v.id = t.dag_version_id
  join tenuto.dags d on d.org_id = t.org_id and d.id = v.dag_id and d.deleted_at is null
  where jsonb_typeof(p -> 'alerts') = 'array';
end
$$;
