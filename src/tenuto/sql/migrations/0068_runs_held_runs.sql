-- Runs that were started or opened with `hold`: none of their tasks starts before the run is released. Adding tasks
-- locks the row for key share; whoever removes the row locks it for update. The row of a run that was cancelled instead
-- stays until the run is deleted.
create table tenuto.held_runs (
  run_id  uuid not null constraint a_run_is_held_once primary key,
  org_id  uuid not null,
  held_at timestamptz not null
);

create table tenuto.release_requests (
  run_id       uuid not null constraint a_run_is_released_once primary key,
  org_id       uuid not null,
  requested_at timestamptz not null
);
create function tenuto._release_requested() returns trigger language plpgsql as $$ begin return null; end $$;
create constraint trigger a_release_lets_its_run_start after insert on tenuto.release_requests
  deferrable initially deferred for each row execute function tenuto._release_requested();

-- True: the task waits for the release of its run, which counts as one dependency. Tasks that depend on others are not
-- marked: they start after those.
alter table tenuto.pending_tasks add column held boolean;
