-- Alert rules about pools: a provider that fails, and anomalies of decisions.
alter table tenuto.alert_rules
  drop constraint kind_is_known,
  add constraint kind_is_known check (
    kind in ('job_failures', 'dataset_age', 'dead_effects', 'no_worker', 'pool_trouble'));
