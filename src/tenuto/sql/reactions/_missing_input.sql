-- For a job that waits for the same partition of all of its inputs (all_same_partition): returns the name of the first
-- input that has no commit of this partition yet; null if all have one.
create or replace function tenuto._missing_input(
  p_org_id uuid, p_job_id uuid, p_dag_version_id uuid, p_partition text)
  returns text
  language sql
  stable
as $$
  select coalesce(d.name, i.definition ->> 'job')
  from tenuto.job_inputs i
  left join tenuto.datasets d on d.org_id = i.org_id and d.id = i.dataset_id
  left join tenuto.dag_version_datasets s
    on s.org_id = i.org_id and s.dataset_id = i.dataset_id and s.dag_version_id = p_dag_version_id
  where i.org_id = p_org_id and i.job_id = p_job_id
    and i.definition ->> 'trigger' = 'all_same_partition'
    and not exists (
      select from tenuto.current_partitions c
      where c.org_id = i.org_id and c.partition_key = p_partition
        and c.dataset_version_id = case when i.parent_key is null then d.current_version_id
                                        else s.dataset_version_id end)
  order by i.no
  limit 1;
$$;
