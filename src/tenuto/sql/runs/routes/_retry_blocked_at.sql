-- Returns when to try a blocked task again with code that may have tried it before. The pause grows with the number of
-- the task's blocked attempts minus the number of code versions that its route lists, because one blocked attempt per
-- code version is normal.
create or replace function tenuto._retry_blocked_at(p_task_id uuid, p_route_id int)
  returns timestamptz
  language sql
  volatile
as $$
  select tenuto._retry_at(1, greatest(1, 1 + (
      select count(*) from tenuto.task_attempts a where a.task_id = p_task_id and a.outcome = 'blocked')::int
    - cardinality(r.blocked_versions)))
  from tenuto.routes r
  where r.id = p_route_id;
$$;
