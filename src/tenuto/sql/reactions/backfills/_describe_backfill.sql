-- Returns the row of a new backfill of a dataset. Its partitions are those from p_first to p_last, both included, or
-- those in p_partitions. Without any of these parameters, the dataset must have no partitions. Raises TN001 for an
-- unknown dataset and TN003 for wrong options. Raises TN004 if no current job computes the dataset, or if its job is a
-- sink or runs for every update.
create or replace function tenuto._describe_backfill(
  p_org_id uuid, p_dataset text, p_first text, p_last text, p_partitions text[], p_reprocess text, p_downstream text,
  p_concurrency int, p_descending boolean, p_reason text)
  returns tenuto.backfills
  language plpgsql
  stable
as $$
declare
  v_dataset record;
  v_job tenuto.jobs;
  v_new tenuto.backfills;
begin
  select d.id, d.dag, d.job, d.output, d.version_id into v_dataset from tenuto.get_dataset(p_org_id, p_dataset) d;
  if v_dataset.job is null then
    perform tenuto._raise('TN004', format('no current job computes dataset %s', p_dataset),
      format('make a version of %s current', v_dataset.dag));
  end if;
  v_job := (tenuto._find_current_job(p_org_id, v_dataset.dag, v_dataset.job, true)).job;
  if v_job.definition #>> '{source,kind}' = 'buffer' then
    perform tenuto._raise('TN004', format('job %s is a sink, which runs no tasks', v_job.name),
      'backfill the inputs of the jobs that append to it');
  elsif v_job.definition ->> 'execution_strategy' = 'PerUpdate' then
    perform tenuto._raise('TN004',
      format('job %s runs for every update of its input: its partitions cannot be computed one by one', v_job.name),
      'invalidate partitions of its input instead');
  elsif (p_first is null) <> (p_last is null) or p_first is not null and p_partitions is not null then
    perform tenuto._raise('TN003', 'a backfill needs either a range with both ends or a list of partitions');
  elsif coalesce(p_reprocess not in ('none', 'failed', 'all'), true) then
    perform tenuto._raise('TN003', format('reprocess is %L', left(p_reprocess, 40)), 'write none, failed or all');
  elsif coalesce(p_downstream not in ('none', 'same', 'all'), true) then
    perform tenuto._raise('TN003', format('downstream is %L', left(p_downstream, 40)), 'write none, same or all');
  elsif p_concurrency not between 1 and 1000 then
    perform tenuto._raise('TN003', format('concurrency is %s, not 1 to 1,000', p_concurrency));
  elsif p_first is null and p_partitions is null
        and jsonb_typeof(v_job.definition -> 'outputs' -> v_dataset.output -> 'partition') = 'object' then
    perform tenuto._raise('TN003', format('dataset %s has partitions', p_dataset),
      'name the first and the last partition, or a list of partitions');
  end if;
  perform tenuto._check_name('the reason of a backfill', p_reason, 1024);

  v_new.org_id := p_org_id;
  v_new.dataset_id := v_dataset.id;
  v_new.job_key := v_job.job_key;
  v_new.config_hash := v_job.config_hash;
  v_new.reprocess := p_reprocess;
  v_new.downstream := p_downstream;
  v_new.concurrency := coalesce(p_concurrency, 100);
  v_new.descending := coalesce(p_descending, false);
  v_new.reason := p_reason;
  v_new.planned := 0;
  if p_first is null then
    v_new.keys := '{"kind": "list"}';
    v_new.partitions := array(
      select k
      from unnest(tenuto._check_job_partitions(v_job, p_partitions)) k
      order by case when not v_new.descending then k end, k desc);
    v_new.total := cardinality(v_new.partitions);
  else
    v_new.keys := tenuto._partition_keys(v_job, v_dataset.output);
    v_new.first_key := p_first;
    v_new.last_key := p_last;
    perform tenuto._check_partitions(array[p_first]), tenuto._check_partitions(array[p_last]);
    v_new.total := tenuto._count_keys(v_new.keys, p_first, p_last, p_org_id, v_dataset.version_id);
  end if;
  return v_new;
end
$$;
