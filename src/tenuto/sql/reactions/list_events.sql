-- Returns a page of the events of one dataset or of all datasets, newest first, starting before the event p_before.
create or replace function tenuto.list_events(
  p_org_id uuid, p_dataset text default null, p_before uuid default null, p_limit int default 50)
  returns table (id uuid, dataset text, dag text, job text, version int, output int, partition text, fingerprint text,
    task_id uuid, data jsonb, created_at timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_dataset_id uuid;
begin
  perform tenuto._check_page(p_limit);
  if p_dataset is not null then
    v_dataset_id := (select d.id from tenuto.get_dataset(p_org_id, p_dataset) d);
  end if;
  return query
  select e.id, d.name, g.name, j.name, v.version, e.output, nullif(e.partition_key, ''), e.fingerprint, e.task_id,
         e.data, e.created_at
  from (
    select e.*
    from tenuto.events e
    where e.org_id = p_org_id
      and (v_dataset_id is null or e.dataset_id = v_dataset_id)
      and (p_before is null or e.id < p_before)
    order by e.id desc
    limit p_limit) e
  left join tenuto.datasets d on d.org_id = e.org_id and d.id = e.dataset_id
  join tenuto.dag_versions v on v.org_id = e.org_id and v.id = e.dag_version_id
  join tenuto.dags g on g.org_id = v.org_id and g.id = v.dag_id
  left join tenuto.jobs j on j.org_id = e.org_id and j.dag_version_id = e.dag_version_id and j.job_key = e.job_key
  order by e.id desc;
end
$$;
