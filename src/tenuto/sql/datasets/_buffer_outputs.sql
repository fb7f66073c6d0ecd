-- -> pending: queues the rows that accepted tasks appended to datasets of sinks and that _check_publications has
-- allowed. Queues one effect of kind sink per location; the location is the key of the effect, so that it is queued
-- only once. Part of the transaction that completes the tasks: the rows are staged already, and flush_sinks makes them
-- visible. Records the datasets that the tasks read as lineage of the sink's dataset.
create or replace function tenuto._buffer_outputs(p_tasks tenuto.task_outputs[])
  returns void
  language sql
as $$
  with appended as materialized (   -- rows for a dataset that another job of the version publishes
    select t.org_id, t.dag_version_id, t.task_id, t.inputs, r.location, p.fingerprint, s.dataset_version_id, s.job_key
    from unnest(p_tasks) t
    cross join lateral jsonb_to_recordset(t.published) as p(location text, fingerprint text)
    join tenuto.row_sets r on r.org_id = t.org_id and r.location = p.location
    join tenuto.dag_version_datasets s
      on s.org_id = t.org_id and s.dag_version_id = t.dag_version_id and s.dataset_version_id = r.dataset_version_id
     and s.job_key <> t.job_key
  ), read as (
    insert into tenuto.table_lineage (org_id, dataset_version_id, input_version_id, input_dataset_id, recorded_at)
    select distinct a.org_id, a.dataset_version_id, v.id, v.dataset_id, tenuto.now()
    from appended a
    cross join lateral jsonb_array_elements(a.inputs) i
    join tenuto.dataset_versions v on v.org_id = a.org_id and v.id = (i ->> 'version_id')::uuid
    where not exists (
      select from tenuto.table_lineage l
      where l.org_id = a.org_id and l.dataset_version_id = a.dataset_version_id and l.input_version_id = v.id)
    order by 1, 2, 3
    on conflict do nothing
  )
  select tenuto._publish(a.org_id, 'sink', array_agg(
           jsonb_build_object('location', a.location, 'dataset_version_id', a.dataset_version_id, 'job_key', a.job_key,
             'dag_version_id', a.dag_version_id, 'fingerprint', a.fingerprint, 'task_id', a.task_id)
           order by a.task_id, a.location),
           p_keys => array_agg(a.location order by a.task_id, a.location))
  from appended a
  group by a.org_id;
$$;
