-- Does what _consumers does, for an output without a dataset. An event counts for the current version of the DAG and
-- for newer versions, if they define the producer in the same way as the version whose task emitted the event. So a
-- task that still runs after a cutover emits for the version that is current now. An event is stale if neither the
-- current version nor a newer one defines the producer in this way.
create or replace function tenuto._output_consumers(
  p_org_id uuid, p_job_key uuid, p_output int, p_dag_version_id uuid)
  returns table (job_id uuid, input int, dag_id uuid, mode text)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_versions uuid[] := array(
    select v.id
    from tenuto.jobs p
    join tenuto.dag_versions e on e.org_id = p.org_id and e.id = p.dag_version_id
    join tenuto.dag_versions v on v.org_id = e.org_id and v.dag_id = e.dag_id
    left join tenuto.dag_versions k on k.org_id = v.org_id and k.dag_id = v.dag_id and k.status = 'current'
    join tenuto.jobs s
      on s.org_id = v.org_id and s.dag_version_id = v.id and s.job_key = p.job_key and s.config_hash = p.config_hash
    where p.org_id = p_org_id and p.dag_version_id = p_dag_version_id and p.job_key = p_job_key
      and v.status in ('staged', 'building', 'ready', 'current', 'failed')
      and v.version >= coalesce(k.version, 0));
  v_current boolean := exists (
    select from tenuto.dag_versions v
    where v.org_id = p_org_id and v.id = any (v_versions) and v.status = 'current');
begin
  return query
  select i.job_id, i.no, v.dag_id, m.mode
  from tenuto.job_inputs i
  join tenuto.dag_versions v on v.org_id = i.org_id and v.id = i.dag_version_id
  cross join lateral (
    select case
      when v_versions = '{}' then 'stale'
      when v.status = 'current' then 'go'
      when v_current or v.status = 'failed' then 'wait'
      else 'rebuild' end as mode) m
  where i.org_id = p_org_id and i.parent_key = p_job_key and i.output = p_output
    and i.dag_version_id = any (case when v_versions = '{}' then array[p_dag_version_id] else v_versions end)
    and i.definition -> 'trigger' <> 'null'
    and (m.mode in ('go', 'stale') or tenuto._is_rebuilt(p_org_id, i.dag_version_id, i.job_id));
end
$$;
