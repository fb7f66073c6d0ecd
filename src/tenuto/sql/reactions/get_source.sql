-- Returns the state of a source job. The status of a continuous source is pending (its task is not running yet),
-- running, draining (its task was cancelled and has not ended), dead (its task has ended; a dispatcher starts the next
-- one) or stopped. The status of other sources is active or stopped. A source is stopped if it is paused or held, or if
-- no current version has it; a continuous source only while its task is not running. streams: for each dataset that the
-- source publishes, how many of the newest 1,000 events are not handled yet, the maximum of this number (max_inflight),
-- and the age of the oldest of these events (lag_seconds).
create or replace function tenuto.get_source(p_org_id uuid, p_dag text, p_name text)
  returns table (dag text, job text, kind text, status text, task_id uuid, next_at timestamptz, last_at timestamptz,
    streams jsonb)
  language plpgsql
  stable
as $$
declare
  v_key uuid := tenuto._find_job_key(p_org_id, p_dag, p_name);
  v_definition jsonb := (select g.definition from tenuto.get_job(p_org_id, p_dag, p_name) g);
  v_schedule tenuto.schedules;
  v_cancelled boolean;
begin
  if v_definition ->> 'activation' <> 'source' then
    perform tenuto._raise('TN003', format('job %s of %s is not a source', p_name, p_dag),
      'its inputs start it');
  end if;
  select s.* into v_schedule from tenuto.schedules s where s.org_id = p_org_id and s.job_key = v_key;
  select r.cancel into v_cancelled from tenuto.running_tasks r where r.id = v_schedule.task_id;
  return query
  select p_dag, p_name, v_definition #>> '{source,kind}',
         case when v_cancelled then 'draining'
              when not v_cancelled then 'running'
              when v_schedule.paused_at is not null
                or not exists (select from tenuto._find_source(p_org_id, v_key)) then 'stopped'
              when v_schedule.continuous and v_schedule.task_id is not null
               and not tenuto._is_open(v_schedule.task_id) then 'dead'
              when v_schedule.continuous then 'pending'
              else 'active' end,
         v_schedule.task_id, v_schedule.next_at, v_schedule.last_at,
         (select coalesce(jsonb_agg(jsonb_build_object('dataset', s.name, 'inflight', i.events, 'max_inflight',
                   v_definition #> '{source,max_inflight}', 'lag_seconds',
                   extract(epoch from tenuto.now() - i.oldest_at)) order by s.output), '[]')
          from tenuto.dag_current_versions c
          join tenuto.dag_version_datasets s
            on s.org_id = c.org_id and s.dag_version_id = c.dag_version_id and s.job_key = v_key
          cross join lateral tenuto._inflight(p_org_id, c.dag_version_id, s.dataset_id, s.dataset_version_id) i
          where c.org_id = p_org_id);
end
$$;
