-- Rows that a dispatcher loop could not work on, each with its error. The loop leaves them out until they are tried again.
create table tenuto.parked_rows (
  loop        text not null,
  key         text not null,
  org_id      uuid,
  run_id      uuid,
  task_id     uuid,
  error       text not null,
  sqlstate    text,
  failures    int not null,
  parked_at   timestamptz not null,
  retry_at    timestamptz not null,
  taken_until timestamptz,
  primary key (loop, key)
);

create index parked_rows_due_idx on tenuto.parked_rows (retry_at);
create index parked_rows_run_idx on tenuto.parked_rows (run_id) where run_id is not null;
create index parked_rows_org_idx on tenuto.parked_rows (org_id);
