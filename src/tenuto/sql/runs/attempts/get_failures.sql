-- Returns how many attempts of a task have failed so far, and how many were lost. Retry policies use it, and workers
-- use it to number the attempt.
create or replace function tenuto.get_failures(p_org_id uuid, p_task_id uuid)
  returns table (failures int, losses int)
  language sql
  stable
as $$
  select c.failures, c.losses
  from tenuto.tasks t
  cross join lateral tenuto._count_failures(t.id) c
  where t.id = p_task_id and t.org_id = p_org_id;
$$;
