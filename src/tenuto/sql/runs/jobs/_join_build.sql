-- Makes the build of a DAG version wait for tasks that it has not started itself: queued tasks that compute the same
-- data as its own would, and running tasks of the version that are being cancelled.
create or replace function tenuto._join_build(p_org_id uuid, p_version_id uuid, p_task_ids uuid[])
  returns void
  language sql
as $$
  insert into tenuto.build_tasks (dag_version_id, task_id, org_id)
  select p_version_id, id, p_org_id from unnest(p_task_ids) id
  on conflict do nothing
$$;
