-- Tasks that start at times. Python computes the times; next_at is compared before it is set, so each fires once.
create table tenuto.schedules (
  org_id         uuid not null references tenuto.orgs (id),
  name           text not null,
  kind           jsonb not null,
  input          jsonb,
  details        jsonb,
  cron           text not null,
  timezone       text not null,
  catch_up       text not null,
  jitter_seconds real not null,
  paused_at      timestamptz,
  next_at        timestamptz,
  last_at        timestamptz,
  created_at     timestamptz not null,
  primary key (org_id, name),
  constraint name_is_not_empty check (length(name) between 1 and 200),
  constraint catch_up_is_known check (catch_up in ('skip', 'one', 'all')),
  constraint jitter_is_at_most_a_day check (jitter_seconds between 0 and 86400)
);

create index schedules_due_idx on tenuto.schedules (next_at) where paused_at is null;
