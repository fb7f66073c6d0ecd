-- Processes: those that run tasks, their lives, and those that run the loops.
create table tenuto.workers (
  org_id         uuid not null references tenuto.orgs (id),
  id             text not null,
  instance_type  text not null default 'worker',
  status         text not null,
  address        text,
  labels         text[] not null default '{}',
  languages      text[] not null default '{python}',
  metadata       jsonb not null default '{}',
  created_at     timestamptz not null,
  last_heartbeat timestamptz,
  drained_at     timestamptz,
  drain_reason   text,
  error          text,
  terminated_at  timestamptz,
  primary key (org_id, id),
  constraint id_is_not_empty check (length(id) between 1 and 256),
  constraint status_is_known check (status in ('starting', 'active', 'draining', 'error', 'terminated')),
  constraint draining_has_a_time check (status <> 'draining' or drained_at is not null),
  constraint terminated_has_a_time check ((status = 'terminated') = (terminated_at is not null)),
  constraint error_says_why check (status <> 'error' or error is not null),
  constraint metadata_is_an_object check (jsonb_typeof(metadata) = 'object')
) with (fillfactor = 70);

create index workers_open_idx on tenuto.workers (status, last_heartbeat) where status <> 'terminated';

-- One life of a worker process. Its lease covers every attempt it holds; an ended session never revives.
create table tenuto.sessions (
  id            bigint generated always as identity primary key,
  org_id        uuid not null,
  worker_id     text not null,
  token         uuid not null,
  lease_seconds real not null,
  started_at    timestamptz not null,
  expires_at    timestamptz not null,
  ended_at      timestamptz,
  end_reason    text,
  constraint session_belongs_to_a_worker foreign key (org_id, worker_id) references tenuto.workers (org_id, id),
  constraint lease_is_between_a_second_and_a_day check (lease_seconds between 1 and 86400),
  constraint ended_says_why check ((ended_at is null) = (end_reason is null)),
  constraint end_reason_is_known check (end_reason in ('closed', 'expired', 'replaced', 'terminated', 'failed'))
) with (fillfactor = 50);

create index sessions_worker_idx on tenuto.sessions (org_id, worker_id);
create index sessions_open_idx on tenuto.sessions (expires_at) where ended_at is null;

create table tenuto.dispatchers (
  id         uuid primary key,
  address    text not null,
  port       int not null,
  heartbeat  timestamptz not null,
  started_at timestamptz not null,
  constraint port_is_a_port check (port between 0 and 65535)
);
