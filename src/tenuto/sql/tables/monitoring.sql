-- Counts of what ended, and alerts.

create table tenuto.rollups (
  org_id            uuid not null,
  period            text not null,
  dimension         text not null,
  starts_at         timestamptz not null,
  name              text not null,
  bucket            smallint not null,
  completed         bigint not null,
  failed            bigint not null,
  cancelled         bigint not null,
  skipped           bigint not null,
  retried           bigint not null,
  lost              bigint not null,
  run_seconds       float8 not null,
  max_run_seconds   float8 not null,
  started           bigint not null,
  queue_seconds     float8 not null,
  max_queue_seconds float8 not null,
  last_ended_at     timestamptz not null,
  constraint rollup_exists_once primary key (org_id, period, dimension, starts_at, name, bucket),
  constraint period_is_known check (period in ('minute', 'hour', 'day', 'total')),
  constraint dimension_is_known check (dimension in ('type', 'worker'))
) with (fillfactor = 70);
comment on table tenuto.rollups is
  'Counts of ended attempts per minute, hour, day and in total, by task type and by worker: views read these few '
  'rows instead of all attempts. bucket is the run time of completed attempts on a scale of half powers of two, -1 for '
  'other ends.';

create index rollups_age_idx on tenuto.rollups (period, starts_at);

create table tenuto.rollup_position (
  only_row  boolean primary key default true,
  rolled_up timestamptz not null,
  constraint there_is_one_row check (only_row)
);
comment on table tenuto.rollup_position is
  'Up to when attempts are counted in rollups: one row.';

insert into tenuto.rollup_position (rolled_up)
select case when exists (select from tenuto.task_attempts) then now() - interval '14 days' else now() end;

create table tenuto.alert_rules (
  org_id         uuid not null,
  name           text not null,
  kind           text not null,
  target         text,   -- a job (DAG/JOB), a dataset or a queue; null: all
  threshold      int not null,
  seconds        int not null,
  destination    text,   -- where alerts are delivered; null: they are only listed
  silenced_until timestamptz,
  created_by     text not null,
  created_at     timestamptz not null,
  due_at         timestamptz not null,
  primary key (org_id, name),
  constraint name_is_not_too_long check (octet_length(name) between 1 and 128),
  constraint threshold_is_positive check (threshold between 1 and 1000),
  constraint seconds_are_positive check (seconds between 1 and 31536000),
  constraint kind_is_known check (
    kind in ('job_failures', 'dataset_age', 'dead_effects', 'no_worker', 'pool_trouble', 'job_alerts'))
);
comment on table tenuto.alert_rules is
  'Rules about the health of the work of an org, which dispatchers evaluate.';

create index alert_rules_due_idx on tenuto.alert_rules (due_at);
create index alert_rules_job_alerts_idx on tenuto.alert_rules (org_id, name) where kind = 'job_alerts';

create table tenuto.alerts (
  id              uuid primary key,
  org_id          uuid not null,
  rule            text not null,
  key             text not null,   -- the cause: alerts with the same one are one
  status          text not null,
  summary         text not null,
  details         jsonb not null,
  evaluations     bigint not null default 1,   -- how often it was found
  first_at        timestamptz not null,
  last_at         timestamptz not null,
  acknowledged_by text,
  acknowledged_at timestamptz,
  resolved_at     timestamptz,
  constraint alert_belongs_to_its_org unique (org_id, id),
  constraint status_is_known check (status in ('firing', 'acknowledged', 'resolved')),
  constraint only_resolved_alerts_have_an_end check ((status = 'resolved') = (resolved_at is not null)),
  constraint texts_are_not_too_long check (octet_length(key) <= 512 and octet_length(summary) <= 2048)
);
comment on table tenuto.alerts is
  'Alerts that rules raised: one per rule and cause. An alert is open until the rule no longer finds its cause.';

create unique index alerts_open_idx on tenuto.alerts (org_id, rule, key) where resolved_at is null;
create index alerts_resolved_idx on tenuto.alerts (org_id, resolved_at) where resolved_at is not null;
