-- Returns the reason of the cancel of a run; null if none was given. Older runs do not store the reason: for them it is
-- the reason of a cancelled task among their last 1000 tasks.
create or replace function tenuto._cancel_reason(p_run_id uuid)
  returns text
  language sql
  stable
as $$
  select coalesce(
    (select r.cancel_reason from tenuto.runs r where r.id = p_run_id),
    (select c.reason from tenuto.cancel_requests c where c.id = p_run_id and c.scope = 'run'),
    (select q.reason from tenuto.run_requests q where q.run_id = p_run_id and q.verb = 'cancel'),
    (select tenuto._reason_of_cancel(a.error)
     from (select t.id from tenuto._run_tasks(p_run_id) t order by t.id desc limit 1000) t
     join tenuto.task_attempts a on a.task_id = t.id and a.end_no = 0 and a.outcome = 'cancelled'
     where tenuto._reason_of_cancel(a.error) is not null
     limit 1));
$$;
