-- any state that is not final -> cancelled, for tasks of a DAG version that was rolled back, or whose DAG was deleted.
-- One call checks at most p_limit unfinished tasks of jobs: the newest of the tasks whose ids are before p_before.
-- Tasks of jobs that the current version defines in the same way continue, because the data that they publish is
-- current. Returns the last task that was checked; null if no tasks remain.
create or replace function tenuto._cancel_version_tasks(
  p_org_id uuid, p_dag_id uuid, p_version_id uuid, p_before uuid, p_limit int)
  returns uuid
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_routes int[] := array(
    select o.id from tenuto.routes o where o.org_id = p_org_id and starts_with(o.type, 'tenuto.'));
  v_open uuid[] := array(
    select t.id
    from tenuto._open_tasks(p_org_id, null, v_routes, p_before, p_limit, p_version_id) t
    order by t.id desc
    limit p_limit);
  v_ids uuid[] := array(
    select j.task_id
    from tenuto.job_tasks j
    where j.task_id = any (v_open)
      and j.dag_version_id = p_version_id
      and not exists (
        select from tenuto.dag_current_versions c
        join tenuto.jobs n on n.org_id = c.org_id and n.dag_version_id = c.dag_version_id
        where c.org_id = p_org_id and c.dag_id = p_dag_id
          and n.job_key = j.job_key and n.config_hash = j.config_hash));
begin
  if v_ids <> '{}' then
    perform tenuto._cancel_now(p_org_id, v_ids, 'task', case
      when exists (select from tenuto.dags d where d.org_id = p_org_id and d.id = p_dag_id and d.deleted_at is null)
      then 'the version of the DAG was rolled back' else 'the DAG was deleted' end);
  end if;
  return case when cardinality(v_open) = p_limit then v_open[p_limit] end;
end
$$;
