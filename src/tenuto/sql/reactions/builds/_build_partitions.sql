-- Returns the partitions that a job would compute after events of the partitions p_keys of one of its inputs. Maps and
-- filters p_keys as the input defines. If the job waits for the same partition of all inputs, returns only partitions
-- that all inputs have. Input -1 means that the job is a source and p_keys are its own partitions.
create or replace function tenuto._build_partitions(p_input tenuto.build_inputs, p_keys text[])
  returns table (key text, partition text)
  language plpgsql
  stable
as $$
declare
  v_definition jsonb;
  v_partition jsonb;
begin
  if p_input.input < 0 then
    return query select k, k from unnest(p_keys) k;
    return;
  end if;
  select i.definition into v_definition
  from tenuto.job_inputs i
  where i.org_id = p_input.org_id and i.job_id = p_input.job_id and i.no = p_input.input;
  select j.definition -> 'outputs' -> s.output -> 'partition' into v_partition
  from tenuto.dag_version_datasets s
  join tenuto.jobs j on j.org_id = s.org_id and j.dag_version_id = s.dag_version_id and j.job_key = s.job_key
  where s.org_id = p_input.org_id and s.dataset_version_id = p_input.dataset_version_id
  limit 1;
  return query
  select k.key, m.partition
  from unnest(p_keys) with ordinality k(key, no)
  cross join lateral unnest(tenuto._map_partition(k.key, v_definition -> 'map')) m(partition)
  where tenuto._passes_filter(v_definition -> 'where',
          jsonb_populate_record(null::tenuto.events, jsonb_build_object('partition_key', k.key)), v_partition)
    and (v_definition ->> 'trigger' <> 'all_same_partition'
         or tenuto._missing_input(p_input.org_id, p_input.job_id, p_input.dag_version_id, k.key) is null)
  order by k.no;
end
$$;
