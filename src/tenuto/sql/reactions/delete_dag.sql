-- any -> deleted: deletes a DAG with its datasets. No version is current any more. Its schedules, webhooks, pauses,
-- limits and states are deleted, and dispatchers delete the data of its datasets. Raises TN004 while a job of another
-- DAG reads one of its datasets. Without p_force, also raises TN004 while a version is being computed or a task has not
-- ended; with p_force, these tasks are cancelled. The history of deploys, the tasks and the lineage stay. The name can
-- be used again, for another DAG. With p_dry_run, changes nothing, but raises the same errors and returns the same row.
create or replace function tenuto.delete_dag(
  p_org_id uuid, p_name text, p_actor text, p_force boolean default false, p_dry_run boolean default false)
  returns table (dag text, versions int, datasets text[], dataset_versions int)
  language plpgsql
as $$
declare
  v_dag_id uuid := tenuto._lock_dag(p_org_id, p_name);
  v_ids uuid[] := array(
    select d.id from tenuto.datasets d
    where d.org_id = p_org_id and d.dag_id = v_dag_id and d.deleted_at is null
    order by d.id
    for update);   -- waits for deploys of DAGs that read these datasets
  v_names text[] := array(
    select d.name from tenuto.datasets d where d.org_id = p_org_id and d.id = any (v_ids) order by d.name);
  v_blockers record := tenuto._delete_blockers(p_org_id, v_dag_id, v_ids, p_force);
  v_current uuid;
  v_purged int;
begin
  perform tenuto._check_name('the actor of a deletion', coalesce(p_actor, ''));
  if v_blockers.readers is not null then
    perform tenuto._raise('TN004', format('the DAG %s cannot be deleted: %s', p_name, v_blockers.readers),
      'deploy those DAGs without these inputs, or delete them first');
  elsif v_blockers.work is not null then
    perform tenuto._raise('TN004', format('the DAG %s cannot be deleted: %s', p_name, v_blockers.work),
      'wait until the build and the tasks have ended, or force the deletion, which cancels them');
  end if;
  v_purged := (select count(*) from tenuto.dataset_versions v
               where v.org_id = p_org_id and v.dataset_id = any (v_ids) and v.purged_at is null);

  if not p_dry_run then
    perform tenuto._leave_version(p_org_id, v.id)   -- triggers may still add tasks to the current version
    from tenuto.dag_versions v
    where v.org_id = p_org_id and v.dag_id = v_dag_id
      and (v.status in ('current', 'building')
           or v.id in (select t.dag_version_id from tenuto._open_job_tasks(p_org_id, v_dag_id) t));
    perform tenuto._delete_sources(p_org_id, v_dag_id);
    perform tenuto._delete_job_state(p_org_id, v_dag_id);
    perform tenuto._delete_datasets(p_org_id, v_ids);
    v_current := tenuto._close_dag(p_org_id, v_dag_id);
    perform tenuto._end_job_alerts(p_org_id, v_dag_id, v_current, null);
    perform tenuto._add_deploy(p_org_id, v_dag_id, 'delete', v_current, null, p_actor, null);
    perform tenuto._audit(p_org_id, 'dag', p_name, 'delete', jsonb_build_object('datasets', v_names[1:100],
      'versions_purged', v_purged, 'forced', case when p_force then true end));
  end if;
  return query
  select p_name, (select count(*)::int from tenuto.dag_versions v where v.org_id = p_org_id and v.dag_id = v_dag_id),
         v_names, v_purged;
end
$$;
