-- retrying -> running: the run's next attempt executes copies of what did not complete; final tasks stay as they are.
-- Answers the cards to make ready.
create or replace function tenuto._rerun(p_run tenuto.runs)
  returns tenuto.card[]
  language plpgsql
as $$
declare
  v_old uuid[] := array(select i from tenuto._tasks_to_rerun(p_run.id, true) i order by i);
  v_new uuid[] := array(select tenuto._uuid7() from unnest(v_old) order by 1);
  v_cards tenuto.card[] := tenuto._copy_tasks(p_run.id, false, p_run.attempt + 1, v_old, v_new, '{}', '{}');
begin
  update tenuto.run_slots s
  set source_task_id = m.new
  from unnest(v_old, v_new) m(old, new)
  where s.run_id = p_run.id and s.source_task_id = m.old;

  update tenuto.runs
  set status = 'running', attempt = attempt + 1, next_retry_at = null, failed_task_id = null,
      total = completed + handlers + cardinality(v_old), failed = 0, cancelled = 0, skipped = 0, spoiled = 0
  where id = p_run.id;
  return v_cards;
end
$$;
