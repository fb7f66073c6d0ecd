-- Returns the recorded steps of a task, in order, at most 1000: steps, children, sleeps and signals. A value of more
-- than 1 KB is left out; value_bytes has its size.
create or replace function tenuto.list_steps(p_org_id uuid, p_task_id uuid)
  returns table (
    step_no int, name text, kind text, value jsonb, value_bytes int, error jsonb, tries int, retry_at timestamptz,
    created_at timestamptz)
  language sql
  stable
as $$
  select s.step_no, s.name, s.kind, case when octet_length(s.value::text) <= 1024 then s.value end,
         octet_length(s.value::text), tenuto._listed_error(s.error), s.tries, s.retry_at, s.created_at
  from tenuto.task_steps s
  where s.task_id = p_task_id and s.org_id = p_org_id
  order by s.step_no
  limit 1000;
$$;
