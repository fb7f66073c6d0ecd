-- -> committed: adds the publications of accepted tasks that _check_publications has allowed, and makes each partition
-- point to its new data. Part of the transaction that completes the tasks. A partition points to the data of the newest
-- task that published it. If an older task, which read older inputs, completes later, its publication becomes part of
-- the history, and the partition does not point to it. Rows of other versions of a dataset are never changed, so a task
-- that completes after a rollback changes nothing that is current. One effect per task makes the dispatchers route the
-- events to the jobs that read the datasets. Also records lineage. Alerts, and rows that a task appends to the dataset
-- of a sink, are only queued here.
create or replace function tenuto._commit_outputs(p_tasks tenuto.task_outputs[])
  returns void
  language sql
as $$
  with published as materialized (
    select tenuto._uuid7() as id, t.org_id, t.job_key, t.dag_version_id, s.dataset_version_id,
           coalesce(p.partition, '') as partition_key, t.task_id, t.attempt, p.location, p.rows, p.bytes,
           p.fingerprint, p.schema_hash, coalesce(nullif(p.checks, 'null'), '[]') as checks, t.inputs, t.memo
    from unnest(p_tasks) t
    cross join lateral jsonb_to_recordset(t.published) as p(
      output int, partition text, location text, rows bigint, bytes bigint, fingerprint text, schema_hash text,
      checks jsonb)
    join tenuto.dag_version_datasets s
      on s.org_id = t.org_id and s.dag_version_id = t.dag_version_id and s.job_key = t.job_key and s.output = p.output
  ), added as (
    insert into tenuto.partition_versions (id, org_id, dataset_version_id, partition_key, task_id, attempt, location,
      rows, bytes, fingerprint, schema_hash, checks, inputs, memo, committed_at)
    select p.id, p.org_id, p.dataset_version_id, p.partition_key, p.task_id, p.attempt, p.location, p.rows, p.bytes,
           p.fingerprint, p.schema_hash, p.checks, p.inputs, p.memo, tenuto.now()
    from published p
  ), pointed as (
    insert into tenuto.current_partitions as c
      (org_id, dataset_version_id, partition_key, partition_version_id, task_id)
    select distinct on (p.org_id, p.dataset_version_id, p.partition_key)
           p.org_id, p.dataset_version_id, p.partition_key, p.id, p.task_id
    from published p
    order by p.org_id, p.dataset_version_id, p.partition_key, p.task_id desc   -- all commits lock in this order
    on conflict (org_id, dataset_version_id, partition_key) do update
      set partition_version_id = excluded.partition_version_id,
          task_id = excluded.task_id
      where excluded.task_id > c.task_id
  ), effects as (
    select p.org_id, p.task_id, jsonb_build_object(
             'events', jsonb_agg(p.id order by p.id), 'job_key', p.job_key, 'dag_version_id', p.dag_version_id
           ) as payload
    from published p
    group by p.org_id, p.task_id, p.job_key, p.dag_version_id
  )
  select tenuto._publish(e.org_id, 'route_event', array_agg(e.payload order by e.task_id),
           p_keys => array_agg(e.task_id::text order by e.task_id))
  from effects e
  group by e.org_id;

  select tenuto._buffer_outputs(p_tasks);
  select tenuto._record_lineage(p_tasks);
  select tenuto._publish_alerts(p_tasks);
  select tenuto._read_inputs(p_tasks);
$$;
