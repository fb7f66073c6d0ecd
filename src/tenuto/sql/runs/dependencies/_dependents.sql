-- Returns every task that may be affected when these tasks end with these outcomes: their dependents, and the
-- dependents of all tasks that end because of them. Functions that propagate an end first lock the rows of these tasks
-- in pending_tasks.
create or replace function tenuto._dependents(p_ids uuid[], p_outcomes text[])
  returns uuid[]
  language sql
  stable
as $$
  select array(
    select distinct d.child_id
    from tenuto._dependents_to_end(p_ids, p_outcomes) e
    cross join lateral (select d.child_id from tenuto.task_dependencies d where d.parent_id = e.id offset 0) d);
$$;
