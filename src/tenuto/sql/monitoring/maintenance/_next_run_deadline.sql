-- Returns the earliest of the deadlines of runs that are not parked, for list_due_maintenance.
create or replace function tenuto._next_run_deadline()
  returns timestamptz
  language sql
  stable
as $$
  select d.at
  from tenuto.run_deadlines d
  where not exists (
    select from tenuto.parked_rows p where p.loop = 'expire_runs' and p.key = d.kind || ':' || d.run_id)
  order by d.at
  limit 1;
$$;
