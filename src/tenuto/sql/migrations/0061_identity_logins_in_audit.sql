-- The actor of a direct call is a database login. Starts make the log long, so that what is rare in it needs an index.
alter table tenuto.audit_log
  drop constraint actor_kind_is_known,
  add constraint actor_kind_is_known
    check (actor_kind in ('user', 'api_key', 'worker_key', 'task', 'operator', 'system', 'login'));

create index audit_log_ip_idx on tenuto.audit_log (org_id, ip, id) where ip is not null;
create index audit_log_actor_idx on tenuto.audit_log (org_id, actor_id, id);
create index audit_log_action_idx on tenuto.audit_log (org_id, action, id);
