-- Returns the unfinished tasks with ids from p_from to before p_to, and their runs. Returns at most p_limit tasks from
-- each table (null: all).
create or replace function tenuto._open_tasks_of(p_from uuid, p_to uuid, p_limit int)
  returns table (id uuid, run_id uuid)
  language sql
  stable
as $$
  (select p.id, p.run_id from tenuto.pending_tasks p where p.id >= p_from and p.id < p_to limit p_limit)
  union all
  (select q.id, q.run_id from tenuto.ready_tasks q where q.id >= p_from and q.id < p_to limit p_limit)
  union all
  (select d.id, d.run_id from tenuto.delayed_tasks d where d.id >= p_from and d.id < p_to limit p_limit)
  union all
  (select w.id, w.run_id from tenuto.waiting_tasks w where w.id >= p_from and w.id < p_to limit p_limit)
  union all
  (select u.id, u.run_id from tenuto.running_tasks u where u.id >= p_from and u.id < p_to limit p_limit);
$$;
