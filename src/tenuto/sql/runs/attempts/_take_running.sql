-- Deletes the running rows of the reported attempts that the session holds, in id order, and returns them. Deletes rows
-- by id, not by ctid: if a row was updated while this statement waited for its lock, the snapshot cannot see the new
-- ctid.
create or replace function tenuto._take_running(p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[])
  returns setof tenuto.running_tasks
  language sql
  set plan_cache_mode = force_custom_plan
as $$
  with held as materialized (
    select t.id
    from unnest(p_task_ids, p_attempts) as r(id, attempt)
    join tenuto.running_tasks t on t.id = r.id and t.attempt = r.attempt
    where t.session_id = p_session_id
      and tenuto._session_exists(p_session_id, p_token)
    order by t.id
    for update of t
  )
  delete from tenuto.running_tasks where id = any (array(select id from held)) returning *;
$$;
