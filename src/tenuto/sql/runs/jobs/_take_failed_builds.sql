-- Removes from a build up to p_limit tasks that ended without completing, and returns them. The caller starts their
-- partitions again.
create or replace function tenuto._take_failed_builds(p_version_id uuid, p_limit int)
  returns uuid[]
  language sql
as $$
  with taken as (
    delete from tenuto.build_tasks
    where dag_version_id = p_version_id
      and task_id in (
        select t.task_id
        from tenuto.build_tasks t
        where t.dag_version_id = p_version_id and t.failed
        order by t.task_id
        limit p_limit)
    returning task_id
  )
  select coalesce(array_agg(task_id), '{}') from taken
$$;
