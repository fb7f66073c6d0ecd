-- Starts a final run again as a new run (retry_of) and returns the id of the new run. p_reuse: tasks that completed
-- keep their output and are not executed again, unless they depend on a task that is executed again; the other tasks
-- continue after their recorded steps and children. p_from_name: tasks with this name or type run again from the
-- beginning, and tasks that recorded a step of this name run again from that step, even if they completed; their
-- dependents run again. A run is retried once: while its retry exists, another retry raises TN004, unless p_force is
-- set. Also raises TN004 if tasks of the run were deleted. The tasks of a large run are copied later, by several calls
-- of advance_requests, and none of them starts before all are copied. Until then, the total of the new run is one more
-- than its number of tasks, so that it cannot end.
create or replace function tenuto.retry_run(
  p_org_id uuid, p_run_id uuid, p_reuse boolean default true, p_force boolean default false,
  p_from_name text default null)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid := tenuto._retry_run(p_org_id, p_run_id, p_reuse, p_force, p_from_name);
begin
  perform tenuto._audit(p_org_id, 'run', p_run_id::text, 'retry', jsonb_build_object('retried_as', v_id));
  return v_id;
end
$$;
