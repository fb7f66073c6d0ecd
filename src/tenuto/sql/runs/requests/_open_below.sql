-- What a cancel has still to stop: of what it left open the last time, what is open; when nothing of that is, everything
-- below it that has not ended. Handlers of a run are left: they run because of the cancel. Look-ups by index for one task
-- after the other: the cost does not grow with what else is stored.
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
