-- Returns the status of a dispatcher with this heartbeat: active, or dead after a minute without a heartbeat.
-- Dispatchers send one every 10 s.
create or replace function tenuto._dispatcher_status(p_heartbeat timestamptz)
  returns text
  language sql
  stable
as $$
  select case when p_heartbeat > tenuto.now() - interval '1 minute' then 'active' else 'dead' end;
$$;
