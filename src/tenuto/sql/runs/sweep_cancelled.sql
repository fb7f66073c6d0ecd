-- Comes back to what was cancelled until nothing of it is open: a task may have moved between two hot tables while the
-- cancel looked, or been given back by a worker that died. One cancel for all of it, which locks in the one order; the
-- requests come in random order, since the first hundred may be of tasks that run for hours. Answers how many are done with.
create or replace function tenuto.sweep_cancelled(p_limit int default 100)
  returns bigint
  language plpgsql
as $$
declare
  v_requests tenuto.cancel_requests[] := array(
    select c from tenuto.cancel_requests c order by random() limit p_limit for update skip locked);
  v_nos bigint[];
  v_ids uuid[];
  v_done bigint;
begin
  select array_agg(q.no), array_agg(b.id)
  into v_nos, v_ids
  from unnest(v_requests) with ordinality as q(id, scope, org_id, requested_at, no)
  cross join lateral tenuto._tasks_below(q.id, q.scope) as b(id);
  perform tenuto._cancel_tasks(v_ids, null);

  delete from tenuto.cancel_requests c
  using unnest(v_requests) with ordinality as q(id, scope, org_id, requested_at, no)
  where c.id = q.id
    and c.scope = q.scope
    and q.no not in (
      select b.no
      from unnest(v_nos, v_ids) as b(no, id)
      join tenuto.tasks t on t.id = b.id and t.handler is null
      where not exists (select from tenuto.task_attempts a where a.task_id = t.id and a.end_no = 0));
  get diagnostics v_done = row_count;
  return v_done;
end
$$;
