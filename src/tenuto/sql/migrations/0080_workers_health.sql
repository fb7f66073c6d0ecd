-- When a worker failed: after a grace it is terminated. And what workers wrote to their logs, carried by heartbeats.
alter table tenuto.workers
  add column error_at timestamptz,
  add column log_lines bigint not null default 0;

update tenuto.workers
set error_at = coalesce(last_heartbeat, created_at)
where status = 'error';

alter table tenuto.workers
  add constraint error_has_a_time check (status <> 'error' or error_at is not null);

-- The newest lines of each worker; line_no counts up. Bounded by _write_worker_logs, pruned after 48 hours.
create table tenuto.worker_logs (
  org_id    uuid not null,
  worker_id text not null,
  line_no   bigint not null,
  logged_at timestamptz not null,
  level     text not null,
  message   text not null,
  constraint line_exists_once primary key (org_id, worker_id, line_no),
  constraint line_is_of_a_worker foreign key (org_id, worker_id) references tenuto.workers (org_id, id) on delete cascade,
  constraint level_is_short check (length(level) between 1 and 32),
  constraint message_is_up_to_4000_characters check (length(message) <= 4000)
);

create index worker_logs_age_idx on tenuto.worker_logs (logged_at);
