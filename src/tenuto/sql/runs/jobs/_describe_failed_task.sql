-- Returns a text that says which task of which job and partition did not complete, and why.
create or replace function tenuto._describe_failed_task(p_task_id uuid)
  returns text
  language sql
  stable
as $$
  select format('task %s of job %s%s: %s', t.id, t.input #>> '{job,job}',
           coalesce(' for ' || (t.input #>> '{job,partition}'), ''),
           coalesce(left(a.error ->> 'message', 500), left(a.error ->> 'reason', 500), a.outcome))
  from tenuto.tasks t
  left join lateral (select a.* from tenuto.task_attempts a where a.task_id = t.id and a.end_no = 0 limit 1) a on true
  where t.id = p_task_id;
$$;
