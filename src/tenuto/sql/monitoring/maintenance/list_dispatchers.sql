-- Returns the dispatchers with their status (active or dead), latest heartbeat first. Dispatchers delete rows that have
-- had no heartbeat for an hour.
create or replace function tenuto.list_dispatchers()
  returns table (
    id uuid, address text, port int, heartbeat timestamptz, started_at timestamptz, status text)
  language sql
  stable
as $$
  select d.id, d.address, d.port, d.heartbeat, d.started_at, tenuto._dispatcher_status(d.heartbeat)
  from tenuto.dispatchers d
  order by d.heartbeat desc, d.id;
$$;
