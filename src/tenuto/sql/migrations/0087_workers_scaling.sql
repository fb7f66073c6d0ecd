-- The policy of a pool, who controls it and what its provider last raised; and the machines that pools request.
alter table tenuto.pools
  add column queues text[],
  add column types text[],
  add column labels text[] not null default '{}',
  add column tasks_per_worker int not null default 1,
  add column scale_up_multiplier float8 not null default 1,
  add column scale_down_multiplier float8 not null default 1,
  add column over_capacity_timeout_seconds float8 not null default 30,
  add column scale_down_grace_seconds float8 not null default 60,
  add column starting_grace_seconds float8 not null default 180,
  add column spawn_timeout_seconds float8 not null default 600,
  add column max_failure_rate float8 not null default 0.8,
  add column failure_window_seconds float8 not null default 300,
  add column min_spawns_for_rate int not null default 5,
  add column tiers jsonb not null default '[]',
  add column decision_no bigint not null default 0,
  add column controlled_by uuid,
  add column controlled_until timestamptz,
  add column scaled_down_at timestamptz,
  add column problem text,
  add column problem_at timestamptz,
  add column problems int not null default 0;

alter table tenuto.pools
  add constraint max_workers_is_at_most_10000 check (max_workers <= 10000),
  add constraint tasks_per_worker_is_positive check (tasks_per_worker between 1 and 10000),
  add constraint multipliers_are_positive check (
    scale_up_multiplier between 0.001 and 1000 and scale_down_multiplier between 0.001 and 1000),
  add constraint times_are_not_negative check (
    over_capacity_timeout_seconds between 0 and 315360000 and scale_down_grace_seconds between 0 and 315360000
    and starting_grace_seconds between 0 and 315360000 and spawn_timeout_seconds between 1 and 315360000
    and failure_window_seconds between 1 and 315360000),
  add constraint failure_rate_is_a_share check (max_failure_rate between 0 and 1),
  add constraint rate_needs_spawns check (min_spawns_for_rate between 1 and 10000),
  add constraint tiers_are_a_list check (jsonb_typeof(tiers) = 'array'),
  add constraint tiers_fit_in_64_kilobytes check (pg_column_size(tiers) <= 65536),
  add constraint a_problem_has_a_time check ((problem is null) = (problem_at is null));

-- machine: the worker that stands for the machine, null if it is this one. provider_id: what the provider calls the
-- machine. busy_at: when a decision last saw it run tasks. machine_ended_at: since when the provider no longer runs it.
alter table tenuto.workers
  add column pool_id uuid,
  add column machine text,
  add column provider_id text,
  add column busy_at timestamptz,
  add column machine_ended_at timestamptz,
  add column diagnostics jsonb;

alter table tenuto.workers
  add constraint worker_is_of_a_pool foreign key (org_id, pool_id) references tenuto.pools (org_id, id)
    on delete set null (pool_id),
  add constraint provider_id_is_short check (octet_length(provider_id) <= 1024),
  add constraint diagnostics_fit_in_64_kilobytes check (pg_column_size(diagnostics) <= 65536);

create index workers_pool_idx on tenuto.workers (org_id, pool_id) where pool_id is not null;
create index workers_machine_idx on tenuto.workers (org_id, machine) where machine is not null;
