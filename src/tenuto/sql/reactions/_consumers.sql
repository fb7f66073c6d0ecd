-- Returns the jobs that read an output, each with the position of the input and with what an event of this version of
-- its dataset does to it: it starts a task (go), or one of a rebuild (rebuild); waits until the version of the DAG is
-- current (wait); or it is of a version that is not current any more (stale). Inputs that are only read start nothing.
-- A version of a DAG that is built computes only the jobs whose datasets are new in it, and reads from the others what
-- is current: their events wait for its cutover. An unpublished output is read in its own version of the DAG only.
create or replace function tenuto._consumers(
  p_org_id uuid, p_dataset_id uuid, p_dataset_version_id uuid, p_job_key uuid, p_output int, p_dag_version_id uuid)
  returns table (job_id uuid, input int, dag_id uuid, mode text)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_current boolean := exists (
    select from tenuto.datasets d
    where d.org_id = p_org_id and d.id = p_dataset_id and d.current_version_id = p_dataset_version_id);
begin
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
    where p_dataset_id is not null
    union all
    select i.job_id, i.no, i.parent_key, v.id, v.dag_id,
           coalesce(o.status, case when v.status = 'superseded' then v.status end), null
    from tenuto.job_inputs i
    join tenuto.dag_versions v on v.org_id = i.org_id and v.id = i.dag_version_id
    left join open_versions o on o.id = v.id
    where p_dataset_id is null
      and i.org_id = p_org_id and i.parent_key = p_job_key and i.output = p_output
      and i.dag_version_id = p_dag_version_id and i.definition -> 'trigger' <> 'null'
  ), modes as (
    select r.*, case
      when p_dataset_id is null then case
        when r.status = 'current' then 'go'
        when r.status is null or r.status = 'superseded' then 'stale'
        when r.status = 'failed' then 'wait'
        else 'rebuild' end
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
     or m.mode is not null and exists (
       select from tenuto.jobs j
       join tenuto.dag_version_datasets n
         on n.org_id = j.org_id and n.dag_version_id = m.version_id and n.job_key = j.job_key
       join tenuto.datasets d on d.org_id = n.org_id and d.id = n.dataset_id
       where j.org_id = p_org_id and j.id = m.job_id
         and d.current_version_id is distinct from n.dataset_version_id);
end
$$;
