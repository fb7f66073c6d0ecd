-- Replaces the schedules of a DAG by those of the cron and continuous sources of one of its versions, named
-- <dag>/<job>. If the cron and timezone of a cron source are unchanged, its next fire time stays, so that a cutover
-- neither skips nor repeats a time. If they changed or the source is new, dispatchers compute the first fire time after
-- now. A paused schedule stays paused. A continuous source is checked at once and then every 5 seconds. The task of a
-- continuous source that is no longer in the DAG is cancelled. Raises TN004 if a schedule that is not of this DAG has
-- one of the names.
create or replace function tenuto._put_job_schedules(p_org_id uuid, p_dag_id uuid, p_version_id uuid)
  returns void
  language plpgsql
as $$
declare
  v_dag text := (select d.name from tenuto.dags d where d.org_id = p_org_id and d.id = p_dag_id);
  v_old tenuto.schedules[] := array(
    select s
    from tenuto.schedules s
    join tenuto.job_controls c on c.org_id = s.org_id and c.job_key = s.job_key
    where s.org_id = p_org_id and c.dag_id = p_dag_id
    order by s.name
    for update of s);
  v_new tenuto.schedules[] := array(
    select (p_org_id, v_dag || '/' || j.name,
            jsonb_build_object('type', tenuto._job_type(j.operator, j.definition -> 'config')),
            null, null, n.cron, n.timezone, n.catch_up, 0, o.paused_at,
            case when n.same then o.next_at else tenuto.now() end, o.last_at, coalesce(o.created_at, tenuto.now()),
            j.job_key, case when n.same then o.starts_after when not n.continuous then tenuto.now() end,
            n.continuous, case when n.continuous then o.task_id end,
            c.held_at is not null and not n.continuous)::tenuto.schedules
    from tenuto.jobs j
    join tenuto.job_controls c on c.org_id = j.org_id and c.job_key = j.job_key
    left join unnest(v_old) o on o.job_key = j.job_key
    cross join lateral (
      select j.definition #>> '{source,kind}' = 'continuous' as continuous,
             coalesce(j.definition #>> '{source,schedule}', '@every 5s') as cron,
             coalesce(j.definition #>> '{source,timezone}', 'UTC') as timezone,
             case when (j.definition #>> '{source,catchup}')::boolean then 'all' else 'one' end as catch_up) k
    cross join lateral (
      select k.*, coalesce((o.cron, o.timezone) = (k.cron, k.timezone) and not k.continuous, false) as same) n
    where j.org_id = p_org_id and j.dag_version_id = p_version_id
      and j.definition #>> '{source,kind}' in ('cron', 'continuous')
    order by j.name);
  v_taken text;
begin
  delete from tenuto.schedules s using unnest(v_old) o where s.org_id = p_org_id and s.name = o.name;
  perform tenuto._stop_source_task(p_org_id, o.task_id, 'the job is no longer in the DAG')
  from unnest(v_old) o
  where not exists (select from unnest(v_new) n where n.job_key = o.job_key and n.continuous);

  select s.name into v_taken
  from tenuto.schedules s
  where s.org_id = p_org_id and s.name = any (array(select n.name from unnest(v_new) n))
  limit 1;
  if found then
    perform tenuto._raise('TN004', format('a schedule %s exists and does not belong to the DAG', v_taken),
      'delete the schedule, or rename the job');
  end if;
  insert into tenuto.schedules select n.* from unnest(v_new) n;
  perform tenuto._check_schedules(p_org_id) where v_new <> '{}';
  perform tenuto.unpark_rows('fire_schedules', array(
    select p_org_id || ':' || n.name
    from (select o.name from unnest(v_old) o union select n.name from unnest(v_new) n) n));
end
$$;
