-- Commits the publications of completed tasks of jobs, and queues the OpenLineage events of their ends. Runs in the
-- transaction that completes the tasks.
create or replace function tenuto._complete_jobs(p_published tenuto.task_outputs[], p_task_ids uuid[])
  returns void
  language plpgsql
as $$
begin
  if p_published is not null then
    perform tenuto._commit_outputs(p_published);
  end if;
  if p_task_ids is not null then
    perform tenuto._emit_ends(p_task_ids, array_fill(0, array[cardinality(p_task_ids)]));
  end if;
end
$$;
