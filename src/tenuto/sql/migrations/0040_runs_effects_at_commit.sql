-- A signal wakes its tasks, and a cancel ends them, when its transaction commits: an open transaction of a client then
-- holds no lock that others wait for. The bodies are in runs/; a trigger needs a function to be there.
create function tenuto._wake_signalled() returns trigger language plpgsql as $$ begin return null; end $$;
create constraint trigger a_signal_wakes_its_tasks after insert on tenuto.signals
  deferrable initially deferred for each row execute function tenuto._wake_signalled();

-- at_commit: the request of a client, whose tasks end at its commit; the dispatcher ends those of other requests.
alter table tenuto.cancel_requests add column reason text, add column at_commit boolean not null default false;
create function tenuto._cancel_requested() returns trigger language plpgsql as $$ begin return null; end $$;
create constraint trigger a_cancel_ends_its_tasks after insert or update of requested_at on tenuto.cancel_requests
  deferrable initially deferred for each row when (new.at_commit) execute function tenuto._cancel_requested();
