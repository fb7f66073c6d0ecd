-- Returns how many attempts of a task have failed so far, and how many were lost, from its history.
create or replace function tenuto._count_failures(p_task_id uuid, out failures int, out losses int)
  language sql
  stable
as $$
  select count(*) filter (where a.outcome = 'retrying' or (a.outcome = 'failed' and not tenuto._was_lost(a))),
         count(*) filter (where a.outcome = 'lost' or (a.outcome = 'failed' and tenuto._was_lost(a)))
  from tenuto.task_attempts a
  where a.task_id = p_task_id;
$$;
