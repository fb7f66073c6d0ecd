-- Open runs: tasks are added to them until they are closed. While a run has a row here, it counts one task more than it
-- has, so that it cannot end. Adding tasks locks the row for key share; whoever removes the row locks it for update.
create table tenuto.open_runs (
  run_id    uuid not null constraint a_run_is_opened_once primary key,
  org_id    uuid not null,
  opened_at timestamptz not null
);

-- No more tasks will be added: the run was closed, or cancelled while it was open.
create table tenuto.close_requests (
  run_id       uuid not null,
  cancelled    boolean not null,
  org_id       uuid not null,
  requested_at timestamptz not null,
  constraint a_run_is_closed_once primary key (run_id, cancelled)   -- so that a cancel never waits for a close
);
create function tenuto._close_requested() returns trigger language plpgsql as $$ begin return null; end $$;
create constraint trigger a_close_lets_its_run_end after insert on tenuto.close_requests
  deferrable initially deferred for each row execute function tenuto._close_requested();

-- Null: the run was started with all its tasks. True: opened, and not closed (yet, or before it was cancelled).
alter table tenuto.runs add column open boolean;
