-- Returns the tasks among p_ids that have not ended. Uses one index lookup per task, regardless of the statistics.
create or replace function tenuto._open_task_ids(p_ids uuid[])
  returns setof uuid
  language sql
  stable
as $$
  select i.id
  from unnest(p_ids) i(id)
  left join lateral (
    select a.end_no from tenuto.task_attempts a where a.task_id = i.id and a.end_no = 0 limit 1) a on true
  where a.end_no is null;
$$;
