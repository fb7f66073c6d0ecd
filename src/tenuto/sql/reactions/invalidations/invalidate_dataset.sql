-- -> running: marks partitions of a dataset as changed and returns the id of the invalidation. The partitions are those
-- from p_first to p_last, both included, or those in p_partitions. Without any of these parameters, the dataset must
-- have no partitions. Every job that reads the dataset gets a task for each of these partitions that is committed, even
-- if the data of the partition is unchanged. The event that starts the task contains p_row_filter. If the outputs of
-- these jobs change, the jobs that read these outputs get tasks too. Raises TN001 for an unknown dataset and TN003 for
-- wrong options. Raises TN004 if the dataset has no current version, or if no partition of the list is committed.
create or replace function tenuto.invalidate_dataset(
  p_org_id uuid, p_dataset text, p_reason text, p_first text default null, p_last text default null,
  p_partitions text[] default null, p_row_filter jsonb default null, p_actor text default 'sql')
  returns uuid
  language plpgsql
as $$
declare
  v_dataset record;
  v_job tenuto.jobs;
  v_keys jsonb := '{"kind": "list"}';
  v_partitions text[];
  v_id uuid := tenuto._uuid7();
begin
  select d.id, d.dag, d.job, d.output, d.version_id into v_dataset from tenuto.get_dataset(p_org_id, p_dataset) d;
  if v_dataset.job is null or v_dataset.version_id is null then
    perform tenuto._raise('TN004', format('dataset %s has no current version', p_dataset));
  elsif (p_first is null) <> (p_last is null) or p_first is not null and p_partitions is not null then
    perform tenuto._raise('TN003', 'an invalidation needs either a range with both ends or a list of partitions');
  elsif jsonb_typeof(p_row_filter) <> 'object' or pg_column_size(p_row_filter) > 16384 then
    perform tenuto._raise('TN003', 'the filter of an invalidation is not an object of up to 16 KB',
      'write {"column": {"gte": 1, "lt": 9}}');
  end if;
  perform tenuto._check_name('the reason of an invalidation', coalesce(p_reason, ''), 1024);
  perform tenuto._check_name('the actor of an invalidation', coalesce(p_actor, ''));
  v_job := (tenuto._find_current_job(p_org_id, v_dataset.dag, v_dataset.job, true)).job;
  if p_first is null and p_partitions is null
     and jsonb_typeof(v_job.definition -> 'outputs' -> v_dataset.output -> 'partition') = 'object' then
    perform tenuto._raise('TN003', format('dataset %s has partitions', p_dataset),
      'name the first and the last partition, or a list of partitions');
  elsif p_first is null then
    v_partitions := array(
      select k
      from unnest(tenuto._check_partitions(p_partitions)) with ordinality u(k, no)
      where p_partitions is null or exists (
        select from tenuto.current_partitions c
        where c.org_id = p_org_id and c.dataset_version_id = v_dataset.version_id and c.partition_key = u.k)
      order by u.no);
    if v_partitions = '{}' then
      perform tenuto._raise('TN004',
        format('none of these partitions of %s is committed: %s', p_dataset,
          left(array_to_string(p_partitions, ', '), 300)),
        'list its partitions to see which are committed');
    end if;
  else
    perform tenuto._check_partitions(array[p_first]), tenuto._check_partitions(array[p_last]);
    v_keys := tenuto._partition_keys(v_job, v_dataset.output);
  end if;

  insert into tenuto.data_invalidations (id, org_id, dataset_id, keys, first_key, last_key, partitions, row_filter,
    reason, created_by, status, total, due_at, moved_at, created_at)
  values (v_id, p_org_id, v_dataset.id, v_keys, p_first, p_last, v_partitions, p_row_filter, p_reason, p_actor,
          'running', case when p_first is null then cardinality(v_partitions)
            else tenuto._count_keys(v_keys, p_first, p_last, p_org_id, v_dataset.version_id) end,
          tenuto.now(), tenuto.now(), tenuto.now());
  insert into tenuto.invalidation_consumers (invalidation_id, job_key, direct, org_id)
  select distinct v_id, j.job_key, true, p_org_id
  from tenuto._consumers(p_org_id, v_dataset.id, v_dataset.version_id, v_job.job_key, v_dataset.output,
         v_job.dag_version_id) c
  join tenuto.jobs j on j.org_id = p_org_id and j.id = c.job_id
  where c.mode = 'go';
  perform tenuto._audit(p_org_id, 'dataset', p_dataset, 'invalidate',
    jsonb_build_object('invalidation', v_id, 'reason', p_reason));
  return v_id;
end
$$;
