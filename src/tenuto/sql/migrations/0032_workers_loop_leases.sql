-- Which dispatcher runs a loop, until when: the others leave it alone. Every loop is safe on several dispatchers at once,
-- so a lease saves work and decides nothing.
create table tenuto.loop_leases (
  loop          text primary key check (length(loop) between 1 and 256),
  dispatcher_id uuid not null,
  expires_at    timestamptz not null
) with (fillfactor = 50);
