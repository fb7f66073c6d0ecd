-- The processes of a session, as their worker states them: {"host": …, "ids": [process, …]}. A dispatcher on the same
-- host that sees that they have ended ends the lease of the session at once.
alter table tenuto.sessions
  add column process jsonb,
  add constraint process_is_a_short_object check (
    jsonb_typeof(process) = 'object' and octet_length(process::text) <= 500);
create index sessions_host_idx on tenuto.sessions ((process ->> 'host')) where process is not null and ended_at is null;
