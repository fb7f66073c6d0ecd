-- retrying -> running: the run's next attempt executes copies of the tasks that did not complete and of their
-- dependents. Other tasks stay as they ended. If a copy reuses children of its original, these become children of the
-- copy. Returns the queued tasks to make ready.
create or replace function tenuto._rerun(p_run tenuto.runs)
  returns tenuto.queued_task[]
  language plpgsql
as $$
declare
  v_base uuid := tenuto._uuid7();
  v_again uuid[];
  v_replay uuid[];
  v_kept uuid[];
  v_completed int;
begin
  select coalesce(array_agg(t.id order by t.place, t.id) filter (where t.again), '{}'),
         coalesce(array_agg(t.id) filter (where t.replay), '{}'),
         coalesce(array_agg(t.id) filter (where not t.again), '{}'),
         count(*) filter (where t.again and t.outcome = 'completed')
  into v_again, v_replay, v_kept, v_completed
  from tenuto._tasks_to_rerun(p_run.id, true, null) t;
  perform tenuto._copy_tasks(p_run.id, p_run.attempt + 1, v_base, v_again, v_replay, null);
  update tenuto.tasks t
  set parent_id = tenuto._copy_id(v_base, t.parent_id)
  where t.id = any (v_kept) and t.parent_id = any (v_replay);

  update tenuto.run_slots s
  set source_task_id = m.new
  from (select o as old, tenuto._copy_id(v_base, o) as new from unnest(v_again) o) m
  where s.run_id = p_run.id and s.source_task_id = m.old;

  update tenuto.runs
  set status = 'running',
      attempt = attempt + 1,
      next_retry_at = null,
      failed_task_id = null,
      completed = completed - v_completed,
      total = completed - v_completed + handlers + cardinality(v_again),
      failed = 0,
      cancelled = 0,
      skipped = 0,
      untolerated_failures = 0
  where id = p_run.id;
  return tenuto._release_copies(v_base, v_again);
end
$$;
