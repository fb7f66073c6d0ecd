-- Returns the error of an attempt that a cancel stopped, with the reason of the cancel. Uses the first reason that
-- exists: the reason for its task, for the nearest of the tasks above it (parent, parent of the parent, …), or for its
-- run.
create or replace function tenuto._add_cancel_reason(p_error jsonb, p_task_id uuid, p_run_id uuid)
  returns jsonb
  language sql
  stable
as $$
  with recursive above (id, depth) as (
    select p_task_id, 1
    union all
    select t.parent_id, a.depth + 1
    from above a
    join tenuto.tasks t on t.id = a.id
    where t.parent_id is not null and a.depth < 100
  ), given as (
    select c.reason, a.depth
    from above a
    join tenuto.cancel_requests c on c.id = a.id and c.scope = 'task'
    union all
    select c.reason, 1000 from tenuto.cancel_requests c where c.id = p_run_id and c.scope = 'run'
    union all
    select q.reason, 1001 from tenuto.run_requests q where q.run_id = p_run_id and q.verb = 'cancel'
  )
  select coalesce(
    (select coalesce(p_error, '{}') || jsonb_build_object('cancel_reason', g.reason)
     from given g
     where g.reason is not null
     order by g.depth
     limit 1),
    p_error);
$$;
