-- When a run is cancelled unless it has ended ('deadline') or begun ('expires'). A row is deleted when its time comes,
-- or with its run: the end of a run does not touch it.
create table tenuto.run_deadlines (
  run_id uuid not null,
  kind   text not null,
  org_id uuid not null,
  at     timestamptz not null,
  constraint a_run_has_one_deadline_of_each_kind primary key (run_id, kind),
  constraint kind_is_known check (kind in ('deadline', 'expires'))
);
create index run_deadlines_at_idx on tenuto.run_deadlines (at);
