-- Rules about the health of an org's work, which dispatchers evaluate, and the alerts that they raised. An alert is open
-- until the rule no longer finds its cause; there is one per rule and cause.
create table tenuto.alert_rules (
  org_id         uuid not null,
  name           text not null,
  kind           text not null,
  target         text,          -- a job (DAG/JOB), a dataset or a queue; null: all
  threshold      int not null,
  seconds        int not null,
  destination    text,          -- where alerts are delivered; null: they are only listed
  silenced_until timestamptz,
  created_by     text not null,
  created_at     timestamptz not null,
  due_at         timestamptz not null,
  primary key (org_id, name),
  constraint name_is_not_too_long check (octet_length(name) between 1 and 128),
  constraint kind_is_known check (kind in ('job_failures', 'dataset_age', 'dead_effects', 'no_worker')),
  constraint threshold_is_positive check (threshold between 1 and 1000),
  constraint seconds_are_positive check (seconds between 1 and 31536000)
);
create index alert_rules_due_idx on tenuto.alert_rules (due_at);

create table tenuto.alerts (
  id              uuid primary key,
  org_id          uuid not null,
  rule            text not null,
  key             text not null,     -- the cause: alerts with the same one are one
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
create unique index alerts_open_idx on tenuto.alerts (org_id, rule, key) where resolved_at is null;
