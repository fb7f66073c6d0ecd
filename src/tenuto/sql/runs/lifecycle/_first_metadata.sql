-- Returns the metadata of the task with which a run was started. This task has the id of the run. Returns null for a
-- graph.
create or replace function tenuto._first_metadata(p_run_id uuid)
  returns jsonb
  language sql
  stable
as $$
  select coalesce(m.metadata, t.metadata)
  from tenuto.tasks t
  left join tenuto.task_metadata m on m.task_id = t.id
  where t.id = p_run_id;
$$;
