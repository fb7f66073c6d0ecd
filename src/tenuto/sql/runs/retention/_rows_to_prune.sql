-- Returns what prune_runs would delete: runs, tasks whose run no longer exists, and the ids under which other tables
-- still have rows of deleted runs, tasks and resource groups (_leftovers). Runs as the owner, the only role that can
-- read the default partition.
create or replace function tenuto._rows_to_prune(p_limit int)
  returns table (id uuid, org_id uuid)
  language sql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
  select r.id, r.org_id
  from tenuto.runs r
  where r.id = any (array(select tenuto._prunable_runs(p_limit, null, '{}')))
  union
  select t.id, t.org_id
  from tenuto.tasks_default t
  where t.id = any (array(select tenuto._tasks_left_behind(p_limit, null, '{}')))
  union
  select l.id, l.org_id
  from tenuto._leftovers(p_limit, null, '{}') l;
$$;
