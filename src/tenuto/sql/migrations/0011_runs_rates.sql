-- Rate limits: at most so many tasks are let in within so many seconds. They are limits that dispatchers admit to.
--   seconds   what the size is for
--   paced_at  the next may be let in then
--   due_at    a dispatcher should look then; null while nobody waits
--   misses    looks in a row that found nobody
alter table tenuto.limits
  add column seconds float8,
  add column paced_at timestamptz,
  add column due_at timestamptz,
  add column misses int not null default 0,
  drop constraint scope_is_known,
  add constraint scope_is_known check (scope in ('key', 'queue', 'rate')),
  add constraint a_rate_has_seconds check ((scope = 'rate') = (seconds is not null)),
  add constraint seconds_are_at_most_a_month check (seconds between 0.001 and 2678400),
  add constraint only_rates_are_paced check (scope = 'rate' or (paced_at is null and due_at is null));

create index limits_due_idx on tenuto.limits (due_at) where due_at is not null;

-- How many a rate let in, in pieces of a thousandth of its seconds: what must not exceed its size in any of its windows.
create table tenuto.rate_admissions (
  limit_id    bigint not null references tenuto.limits (id) on delete cascade,
  since       timestamptz not null,
  admitted_at timestamptz not null,
  org_id      uuid not null,
  tasks       int not null,
  primary key (limit_id, since),
  constraint tasks_are_positive check (tasks > 0)
) with (fillfactor = 50);

-- How many tasks a rate may let in now; starting at which moment of its pace; how long one of them takes.
create type tenuto.rate_share as (
  tasks     int,
  starts_at timestamptz,
  pace      interval
);
