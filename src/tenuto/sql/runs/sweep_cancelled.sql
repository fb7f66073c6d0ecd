-- Comes back to what was cancelled until nothing of it is open: a task may have moved between two hot tables while the
-- cancel looked, or been given back by a worker that died.
create or replace function tenuto.sweep_cancelled(p_limit int default 100)
  returns bigint
  language plpgsql
as $$
declare
  v_request tenuto.cancel_requests;
  v_ids uuid[];
  v_count bigint := 0;
begin
  for v_request in
    select c.* from tenuto.cancel_requests c order by c.id limit p_limit for update skip locked
  loop
    v_ids := array(select tenuto._tasks_below(v_request.id, v_request.scope));
    perform tenuto._cancel_tasks(v_ids, null);
    delete from tenuto.cancel_requests c
    where c.id = v_request.id
      and c.scope = v_request.scope
      and not exists (
        select from tenuto.tasks t
        where t.id = any (v_ids)
          and t.handler is null
          and not exists (select from tenuto.task_attempts a where a.task_id = t.id and a.end_no = 0));
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
