-- Requests to cancel, retry or delete a large run: accepted at once, finished by dispatchers in pieces.
create table tenuto.run_requests (
  run_id       uuid not null,   -- the run that is cancelled or deleted, or the new run of a retry
  verb         text not null,
  org_id       uuid not null,
  source_id    uuid,            -- the run that a retry copies
  reuse        boolean,
  reason       text,
  phase        text not null default 'list',
  next_part    int not null default 1,
  tasks        int,             -- how many there are to work on, once they are listed
  done         int not null default 0,
  requested_at timestamptz not null,
  worked_at    timestamptz not null,   -- the org whose last piece is longest ago comes next
  constraint a_request_is_made_once primary key (run_id, verb),
  constraint verb_is_known check (verb in ('cancel', 'retry', 'delete')),
  constraint phase_is_known check (phase in ('list', 'work', 'release')),
  constraint a_retry_has_a_source check ((verb = 'retry') = (source_id is not null))
);
create index run_requests_source_idx on tenuto.run_requests (source_id) where source_id is not null;

-- The tasks of a request, in the order in which they are worked on. `again`: a retry executes them again.
create table tenuto.run_request_parts (
  run_id   uuid not null,
  verb     text not null,
  no       int not null,
  org_id   uuid not null,
  again    boolean not null,
  task_ids uuid[] not null,
  constraint a_part_exists_once primary key (run_id, verb, no)
);
