-- Returns the open sessions whose worker runs on this host, each with the ids of its processes.
create or replace function tenuto.list_local_sessions(p_host text)
  returns table (id bigint, processes jsonb)
  language sql
  stable
as $$
  select s.id, s.process -> 'ids'
  from tenuto.sessions s
  where s.process ->> 'host' = p_host
    and s.process is not null
    and s.ended_at is null;
$$;
