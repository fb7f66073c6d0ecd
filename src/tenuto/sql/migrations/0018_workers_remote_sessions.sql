-- Sessions that were opened over HTTP: with which key, and from which queues they may claim (null: all).
alter table tenuto.sessions
  add column worker_key_id uuid,
  add column queues text[],
  add constraint session_was_opened_with_a_key_of_its_org foreign key (org_id, worker_key_id) references tenuto.worker_keys (org_id, id);

create index sessions_worker_key_idx on tenuto.sessions (org_id, worker_key_id) where worker_key_id is not null;
