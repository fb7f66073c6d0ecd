-- Returns the open runs of an org that only wait to be closed, the oldest first: they were opened longer ago than
-- p_older, and all of their tasks have ended.
create or replace function tenuto.list_open_runs(
  p_org_id uuid, p_older interval default '1 day', p_limit int default 100)
  returns table (run_id uuid, name text, opened_at timestamptz)
  language sql
  stable
  set jit = off
as $$
  select o.run_id, r.name, o.opened_at
  from tenuto.open_runs o
  join tenuto.runs r on r.id = o.run_id
  where o.org_id = p_org_id
    and o.opened_at < tenuto.now() - p_older
    and r.total - 1 = r.completed + r.failed + r.cancelled + r.skipped
    and not exists (select from tenuto.run_counts c where c.run_id = o.run_id)
    and not exists (select from tenuto.close_requests c where c.run_id = o.run_id)
  order by o.opened_at, o.run_id
  limit least(p_limit, 1000);
$$;
