-- What ended, counted per minute, hour, day and in total, by task type and by worker: views read these few rows instead of
-- all attempts. bucket is the run time of completed attempts on a scale of half powers of two, -1 for other ends.
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

create index rollups_age_idx on tenuto.rollups (period, starts_at);

-- Up to when attempts are counted: one row. A database that has attempts already counts those of the last two weeks.
create table tenuto.rollup_position (
  only_row  boolean primary key default true,
  rolled_up timestamptz not null,
  constraint there_is_one_row check (only_row)
);

insert into tenuto.rollup_position (rolled_up)
select case when exists (select from tenuto.task_attempts) then now() - interval '14 days' else now() end;
