-- Returns the partitions in p_keys whose current output was not computed from what is committed in the inputs of the
-- job now. Returns all of p_keys if the first output of the job is empty, if the job reads nothing, or if its update
-- strategy is not replace.
create or replace function tenuto._uncomputed_partitions(p_job tenuto.jobs, p_keys text[])
  returns text[]
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_output uuid := (
    select s.dataset_version_id
    from tenuto.dag_version_datasets s
    where s.org_id = p_job.org_id and s.dag_version_id = p_job.dag_version_id and s.job_key = p_job.job_key
    order by s.output
    limit 1);
begin
  if p_job.definition ->> 'update_strategy' <> 'replace' or not exists (
    select from tenuto.current_partitions c where c.org_id = p_job.org_id and c.dataset_version_id = v_output
  ) then
    return p_keys;
  end if;
  return array(
    select k.key
    from unnest(p_keys) with ordinality k(key, no)
    where not exists (
      select from tenuto.current_partitions c
      join tenuto.partition_versions v on v.org_id = c.org_id and v.id = c.partition_version_id
      where c.org_id = p_job.org_id and c.dataset_version_id = v_output and c.partition_key = k.key
        and v.memo = tenuto._memo(p_job.job_key, p_job.config_hash, k.key,
          tenuto._pin_inputs(p_job.org_id, p_job.id, p_job.dag_version_id, k.key)))
    order by k.no);
end
$$;
