-- Returns the jobs that read an output, each with the position of the input and a mode. The mode says what an event of
-- the output, about its dataset version p_dataset_version_id, does to the job. go: starts a task. rebuild: starts a
-- task of a build. wait: waits until the job's version of the DAG is current. stale: does nothing, because the dataset
-- version is no longer current. Inputs without a trigger are left out. A build computes only the jobs whose datasets
-- are new in its version. The build reads the current versions of the other datasets, and events of these other
-- datasets wait for the cutover to the version.
create or replace function tenuto._consumers(
  p_org_id uuid, p_dataset_id uuid, p_dataset_version_id uuid, p_job_key uuid, p_output int, p_dag_version_id uuid)
  returns table (job_id uuid, input int, dag_id uuid, mode text)
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set jit = off
as $$
declare
  v_current boolean := exists (
    select from tenuto.datasets d
    where d.org_id = p_org_id and d.id = p_dataset_id and d.current_version_id = p_dataset_version_id);
begin
  if p_dataset_id is null then
    return query
    select c.* from tenuto._output_consumers(p_org_id, p_job_key, p_output, p_dag_version_id) c;
    return;
  end if;
  return query
  with open_versions as materialized (
    select v.id, v.dag_id, v.status
    from tenuto.dag_versions v
    left join tenuto.dag_versions k on k.org_id = v.org_id and k.dag_id = v.dag_id and k.status = 'current'
    where v.org_id = p_org_id and v.status in ('staged', 'building', 'ready', 'current', 'failed')
      and v.version >= coalesce(k.version, 0)
  ), readers as (
    select i.job_id, i.no, i.parent_key, o.id as version_id, o.dag_id, o.status, s.dataset_version_id
    from open_versions o
    join tenuto.job_inputs i
      on i.org_id = p_org_id and i.dataset_id = p_dataset_id and i.dag_version_id = o.id
     and i.definition -> 'trigger' <> 'null'
    left join tenuto.dag_version_datasets s
      on s.org_id = p_org_id and s.dag_version_id = o.id and s.dataset_id = i.dataset_id
  ), modes as (
    select r.*, case
      when r.status = 'current' and v_current then 'go'
      when r.status = 'current' then case when not exists (
        select from tenuto.dag_version_datasets n
        join open_versions o on o.id = n.dag_version_id
        where n.org_id = p_org_id and n.dataset_version_id = p_dataset_version_id) then 'stale' end
      when v_current and coalesce(r.dataset_version_id, p_dataset_version_id) = p_dataset_version_id then 'wait'
      when not v_current and r.parent_key is not null and r.dataset_version_id = p_dataset_version_id
      then case r.status when 'failed' then 'wait' else 'rebuild' end end as mode
    from readers r
  )
  select m.job_id, m.no, m.dag_id, m.mode
  from modes m
  where m.mode in ('go', 'stale')
     or m.mode is not null and tenuto._is_rebuilt(p_org_id, m.version_id, m.job_id);
end
$$;
