-- Returns the rows of this org, or of one of its runs, on which dispatcher loops failed, and when each is tried again.
-- The newest come first, at most 1000.
create or replace function tenuto.list_parked(p_org_id uuid, p_run_id uuid default null, p_limit int default 100)
  returns setof tenuto.parked_rows
  language sql
  stable
as $$
  select p.*
  from tenuto.parked_rows p
  where p.org_id = p_org_id
    and (p_run_id is null or p.run_id = p_run_id)
  order by p.parked_at desc, p.key
  limit least(p_limit, 1000);
$$;
