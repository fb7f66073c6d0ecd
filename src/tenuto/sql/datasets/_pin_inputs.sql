-- Returns what a task of a job reads, fixed at this time: for each input the version of its dataset and the committed
-- folders, up to 100 (null if there are more). Of an input that has partitions, a task with a partition reads only this
-- partition, or the partitions that are mapped to it. With p_commit, the task reads only this commit from the input to
-- which the commit belongs. The fingerprint is null if no folder is committed, or if more than 100 are. The query plans
-- for the folder of one partition are made once: planning for every task cost five times as much as the look-ups.
create or replace function tenuto._pin_inputs(
  p_org_id uuid, p_job_id uuid, p_dag_version_id uuid, p_partition text, p_commit uuid default null)
  returns jsonb
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_input record;
  v_found record;
  v_pins jsonb := '[]';
begin
  for v_input in
    select i.no, i.dataset_id, i.definition as input, s.name as dataset, s.dataset_version_id, j.name as job,
           j.definition -> 'update_strategy' as update_strategy, j.definition -> 'unique_key' as unique_key,
           j.definition -> 'outputs' -> coalesce(s.output, i.output) as output,
           v.id as commit, v.partition_key as commit_key, v.location, v.fingerprint
    from tenuto.job_inputs i
    left join tenuto.datasets d on d.org_id = i.org_id and d.id = i.dataset_id
    left join tenuto.dag_current_versions c on c.org_id = d.org_id and c.dag_id = d.dag_id
    left join tenuto.dag_version_datasets s
      on s.org_id = i.org_id and s.dataset_id = i.dataset_id
     and s.dag_version_id = case when i.parent_key is not null then p_dag_version_id else c.dag_version_id end
    left join tenuto.jobs j
      on j.org_id = i.org_id
     and j.dag_version_id = case when i.parent_key is not null then p_dag_version_id else c.dag_version_id end
     and j.job_key = coalesce(s.job_key, i.parent_key)
    left join tenuto.partition_versions v
      on v.id = p_commit and v.org_id = p_org_id and v.dataset_version_id = s.dataset_version_id
    where i.org_id = p_org_id and i.job_id = p_job_id
    order by i.no
  loop
    v_found := tenuto._pinned_folders(p_org_id, v_input.dataset_version_id,
      case when p_partition <> '' and jsonb_typeof(v_input.output -> 'partition') = 'object' then p_partition end,
      case when v_input.input #>> '{map,kind}' <> 'identity' then v_input.input -> 'map' end,
      v_input.update_strategy = '"append"', v_input.commit, v_input.commit_key, v_input.location, v_input.fingerprint);
    v_pins := v_pins || jsonb_build_object(
      'no', v_input.no,
      'name', coalesce(v_input.dataset, v_input.output ->> 'name', v_input.job, v_input.input ->> 'dataset'),
      'dataset', v_input.dataset,
      'dataset_id', v_input.dataset_id,
      'version_id', v_input.dataset_version_id,
      'partition', v_found.partition,
      'map', v_found.map,
      'location', case when v_found.count = 1 then v_found.locations -> 0 end,
      'locations', case when v_found.count <= 100 then v_found.locations end,
      'fingerprint', v_found.fingerprint,
      'cursor', v_found.cursor,
      'storage', v_input.output -> 'storage',
      'columns', v_input.output -> 'columns',
      'update_strategy', v_input.update_strategy,
      'unique_key', v_input.unique_key,
      'where', v_input.input -> 'where');
  end loop;
  return v_pins;
end
$$;
