-- Returns the dispatchers with a heartbeat in the last hour, latest heartbeat first.
create or replace function tenuto.list_dispatchers()
  returns setof tenuto.dispatchers
  language sql
  stable
as $$
  select d.* from tenuto.dispatchers d order by d.heartbeat desc, d.id;
$$;
