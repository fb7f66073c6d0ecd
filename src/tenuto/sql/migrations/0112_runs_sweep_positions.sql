-- Where the sweeps that look at a few rows per call continue (sweep_tasks, sweep_runs).
create table tenuto.sweep_positions (
  sweep    text primary key,
  position uuid not null
);

create index waiting_tasks_events_idx on tenuto.waiting_tasks (id) where waits_for in ('children', 'signal');
