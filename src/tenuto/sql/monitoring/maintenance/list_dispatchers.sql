-- Returns the dispatchers, latest heartbeat first. Dispatchers delete rows that have had no heartbeat for an hour.
create or replace function tenuto.list_dispatchers()
  returns setof tenuto.dispatchers
  language sql
  stable
as $$
  select d.* from tenuto.dispatchers d order by d.heartbeat desc, d.id;
$$;
