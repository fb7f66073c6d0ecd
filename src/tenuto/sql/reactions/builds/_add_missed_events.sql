-- Makes events wait for a version of a DAG that has become current again, up to p_limit of each kind: events that
-- arrived while another version was current, and events whose tasks a rollback cancelled. Only jobs that append, or
-- that run for every update, get these events, and only if the replaced version does not define the job in the same
-- way. For other jobs, the build compares partitions instead. Returns p_limit if there may be more events. Events that
-- retention has deleted are not included.
create or replace function tenuto._add_missed_events(p_build tenuto.builds, p_limit int)
  returns int
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_since timestamptz := tenuto._missed_since(p_build.org_id, p_build.dag_version_id);
  v_jobs uuid[] := array(
    select j.id
    from tenuto.jobs j
    where j.org_id = p_build.org_id and j.dag_version_id = p_build.dag_version_id and j.activation = 'reactive'
      and (j.definition ->> 'execution_strategy' <> 'PerPartition' or j.definition ->> 'update_strategy' <> 'replace')
      and not exists (
        select from tenuto.jobs o
        where o.org_id = j.org_id and o.dag_version_id = p_build.replaced
          and o.job_key = j.job_key and o.config_hash = j.config_hash));
  v_cancelled int;
  v_missed int;
begin
  if v_since is null or v_jobs = '{}' then
    return 0;
  end if;
  update tenuto.event_reactions r
  set reaction = 'paused', reason = 'its task was cancelled by a rollback', task_id = null
  from (
    select r.event_id, r.job_id
    from tenuto.jobs j
    join tenuto.event_reactions r on r.org_id = j.org_id and r.job_key = j.job_key and r.job_id = j.id
    join tenuto.task_attempts a
      on a.task_id = r.task_id and a.end_no = 0 and a.outcome = 'cancelled'
     and tenuto._is_rolled_back(a.error)
    where j.org_id = p_build.org_id and j.id = any (v_jobs) and r.created_at >= v_since
      and not exists (   -- the build starts these again
        select from tenuto.build_tasks b where b.dag_version_id = p_build.dag_version_id and b.task_id = r.task_id)
    order by r.event_id, r.job_id
    limit p_limit) c
  where r.event_id = c.event_id and r.job_id = c.job_id;
  get diagnostics v_cancelled = row_count;

  insert into tenuto.event_reactions
    (event_id, job_id, org_id, job_key, dag_version_id, partition_key, reaction, reason, created_at)
  select distinct on (e.id, j.id)
         e.id, j.id, e.org_id, j.job_key, j.dag_version_id, e.partition_key, 'paused',
         'the version of the DAG was not current', tenuto.now()
  from tenuto.jobs j
  join tenuto.job_inputs i on i.org_id = j.org_id and i.job_id = j.id and i.definition ->> 'trigger' is not null
  left join tenuto.datasets d on d.org_id = i.org_id and d.id = i.dataset_id
  left join tenuto.dag_version_datasets s
    on s.org_id = i.org_id and s.dag_version_id = j.dag_version_id and s.dataset_id = i.dataset_id
   and i.parent_key is not null
  cross join lateral (
    select e.*
    from tenuto.events e
    where e.org_id = i.org_id and e.dataset_id = i.dataset_id and e.created_at >= v_since
      and e.dataset_version_id = coalesce(s.dataset_version_id, d.current_version_id)
    union all
    select e.*
    from tenuto.events e
    join tenuto.jobs p on p.org_id = e.org_id and p.dag_version_id = e.dag_version_id and p.job_key = e.job_key
    join tenuto.jobs o
      on o.org_id = p.org_id and o.dag_version_id = j.dag_version_id and o.job_key = p.job_key
     and o.config_hash = p.config_hash
    where i.dataset_id is null and e.org_id = i.org_id and e.dataset_id is null and e.created_at >= v_since
      and e.job_key = i.parent_key and e.output = i.output) e
  where j.org_id = p_build.org_id and j.id = any (v_jobs)
    and not exists (   -- a reaction in a version with the same definition counts: it publishes the same data
      select from tenuto.event_reactions r
      join tenuto.jobs o on o.org_id = r.org_id and o.id = r.job_id
      where r.event_id = e.id and r.job_key = j.job_key
        and (o.id = j.id or o.config_hash = j.config_hash and r.reaction <> 'paused'))
  order by e.id, j.id
  limit p_limit
  on conflict do nothing;
  get diagnostics v_missed = row_count;
  return greatest(v_cancelled, v_missed);
end
$$;
