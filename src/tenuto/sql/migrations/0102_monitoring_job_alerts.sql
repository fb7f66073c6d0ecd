-- Alert rules about what jobs with the operator alert_evaluate find. raise_alerts records what one of them found: its
-- effects are ordered within their scope, a partition of a dataset version.
alter table tenuto.alert_rules
  drop constraint kind_is_known,
  add constraint kind_is_known check (
    kind in ('job_failures', 'dataset_age', 'dead_effects', 'no_worker', 'pool_trouble', 'job_alerts'));
create index alert_rules_job_alerts_idx on tenuto.alert_rules (org_id, name) where kind = 'job_alerts';

alter table tenuto.outbox
  drop constraint kind_is_known,
  add constraint kind_is_known
    check (kind in ('route_event', 'emit_lineage', 'deliver', 'enqueue_task', 'delete_data', 'sink', 'raise_alerts'));
create index outbox_alerts_idx on tenuto.outbox (org_id, scope, status, id) where kind = 'raise_alerts';
