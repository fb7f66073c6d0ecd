-- Returns a page of event reactions, newest event first: all reactions to one event, or all reactions of one job of a
-- DAG. The page starts after the reaction of the job p_after_job to the event p_after_event.
create or replace function tenuto.list_reactions(
  p_org_id uuid, p_event_id uuid default null, p_dag text default null, p_name text default null,
  p_after_event uuid default null, p_after_job uuid default null, p_limit int default 50)
  returns table (event_id uuid, job_id uuid, dag text, job text, version int, dataset text, event_partition text,
    partition text, reaction text, reason text, task_id uuid, created_at timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_key uuid := case when p_event_id is null then tenuto._find_job_key(p_org_id, p_dag, p_name) end;
begin
  perform tenuto._check_page(p_limit);
  perform from tenuto.events e where e.org_id = p_org_id and e.id = p_event_id;
  if not found and p_event_id is not null then
    perform tenuto._raise('TN001', format('no event %s', p_event_id), 'list the events to see which exist');
  end if;
  return query
  select r.event_id, r.job_id, g.name, j.name, v.version, d.name, nullif(e.partition_key, ''),
         nullif(r.partition_key, ''), r.reaction, r.reason, r.task_id, r.created_at
  from (
    select r.*
    from tenuto.event_reactions r
    where r.org_id = p_org_id
      and (p_event_id is null or r.event_id = p_event_id)
      and (v_key is null or r.job_key = v_key)
      and (p_after_event is null
           or r.event_id <= p_after_event and (r.event_id < p_after_event or r.job_id > p_after_job))
    order by r.event_id desc, r.job_id
    limit p_limit) r
  left join tenuto.events e on e.id = r.event_id
  left join tenuto.datasets d on d.org_id = r.org_id and d.id = e.dataset_id
  join tenuto.jobs j on j.org_id = r.org_id and j.id = r.job_id
  join tenuto.dag_versions v on v.org_id = r.org_id and v.id = r.dag_version_id
  join tenuto.dags g on g.org_id = v.org_id and g.id = v.dag_id
  order by r.event_id desc, r.job_id;
end
$$;
