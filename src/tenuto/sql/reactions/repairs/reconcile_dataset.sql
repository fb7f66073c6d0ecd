-- Returns partitions of a dataset that are not committed although the inputs of its job have the data for them, each
-- with the reason. Searches the next 10,000 partitions of the inputs, and stops at about p_limit missing partitions.
-- next: pass it as p_after to continue the search; null if the search is complete. Raises TN001 for an unknown dataset
-- and TN003 for a p_after that is not a value of next. Raises TN004 if no current job computes the partitions of the
-- dataset one by one.
create or replace function tenuto.reconcile_dataset(
  p_org_id uuid, p_dataset text, p_after text default null, p_limit int default 100,
  out missing jsonb, out looked_at int, out next text)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_dataset record;
  v_job tenuto.jobs;
  v_input record;
  v_after text[] := regexp_match(p_after, '^(\d{1,4}):(.*)$');
  v_keys text[];
  v_earlier uuid[] := '{}';   -- versions of inputs that have the same partitions as the job
  v_found jsonb;
  v_last int;
begin
  perform tenuto._check_page(p_limit);
  if p_after is not null and v_after is null then
    perform tenuto._raise('TN003', format('%L is not the position where a search ended', left(p_after, 100)),
      'pass next unchanged');
  end if;
  select d.dag, d.job, d.output, d.version_id into v_dataset from tenuto.get_dataset(p_org_id, p_dataset) d;
  if v_dataset.job is null or v_dataset.version_id is null then
    perform tenuto._raise('TN004', format('no current job computes dataset %s', p_dataset),
      format('make a version of %s current', v_dataset.dag));
  end if;
  v_job := (tenuto._find_current_job(p_org_id, v_dataset.dag, v_dataset.job, true)).job;
  if coalesce(v_job.definition ->> 'execution_strategy', '') <> 'PerPartition' then
    perform tenuto._raise('TN004', format('job %s does not compute partitions of %s one by one', v_job.name, p_dataset),
      'reconcile a dataset whose job has the execution strategy PerPartition');
  end if;

  missing := '[]';
  looked_at := 0;
  for v_input in
    select i.no, s.version_id, s.name, j.definition -> 'outputs' -> s.output -> 'partition' as scheme,
           case when i.no = v_after[1]::int then v_after[2] end as after,
           i.no < coalesce(v_after[1]::int, 0) as is_searched,
           coalesce(i.definition #>> '{map,kind}', 'identity') = 'identity' as is_same
    from tenuto.job_inputs i
    cross join lateral tenuto._input_source(i) s
    left join tenuto.jobs j
      on j.org_id = i.org_id and j.dag_version_id = s.dag_version_id and j.job_key = s.job_key
    where i.org_id = p_org_id and i.job_id = v_job.id and i.definition -> 'trigger' <> 'null'
    order by i.no
  loop
    v_keys := array(
      select c.partition_key
      from tenuto.current_partitions c
      where c.org_id = p_org_id and c.dataset_version_id = v_input.version_id and not v_input.is_searched
        and (v_input.after is null or c.partition_key > v_input.after)
      order by c.partition_key
      limit 10000 - looked_at);
    select coalesce(jsonb_agg(jsonb_build_object('partition', nullif(m.partition, ''), 'input', v_input.name,
             'input_partition', nullif(m.key, ''), 'state', w.state, 'reason', w.reason, 'task_id', w.task_id,
             'is_fixable', w.is_fixable) order by m.no, m.partition), '[]'), max(m.no)
    into v_found, v_last
    from tenuto._uncommitted_partitions(v_job, v_dataset.version_id, v_input.no, v_input.scheme, v_keys,
           v_earlier, p_limit - jsonb_array_length(missing)) m
    cross join lateral tenuto._why_missing(v_job, v_input.version_id, m.key, m.partition) w;
    missing := missing || v_found;
    if jsonb_array_length(missing) < p_limit then
      v_last := cardinality(v_keys);
    end if;
    looked_at := looked_at + v_last;
    if jsonb_array_length(missing) >= p_limit or looked_at >= 10000 then
      next := v_input.no || ':' || v_keys[v_last];
      return;
    elsif v_input.is_same then
      v_earlier := v_earlier || v_input.version_id;
    end if;
  end loop;
end
$$;
