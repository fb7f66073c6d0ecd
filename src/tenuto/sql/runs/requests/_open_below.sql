-- Returns the tasks that a cancel still has to stop. p_open_ids: the tasks that had not ended at the previous call. If
-- some of these tasks still have not ended, returns only those. Otherwise returns every task in the scope of the cancel
-- that has not ended. Handlers of a run are left out, because they run after the cancel. Looks up one task after the
-- other by index, so that the cost does not grow with the rest of the data.
create or replace function tenuto._open_below(p_id uuid, p_scope text, p_open_ids uuid[])
  returns setof uuid
  language sql
  stable
as $$
  with known as materialized (
    select o from tenuto._open_task_ids(p_open_ids) o
  ), others as materialized (
    select array_agg(b.id) as ids
    from tenuto._tasks_below(p_id, p_scope) b(id)
    cross join lateral (select t.handler from tenuto.tasks t where t.id = b.id limit 1) t
    where not exists (select from known) and t.handler is null
  )
  select o from known
  union all
  select o from others cross join lateral tenuto._open_task_ids(others.ids) o;
$$;
