-- Creates or replaces an alert rule, and returns whether it is new. p_kind says what causes an alert. job_failures: a
-- job (DAG/JOB, or any) failed at least p_threshold times within p_seconds. dataset_age: a dataset has had no commit
-- for p_seconds. dead_effects: there are at least p_threshold dead effects. no_worker: tasks of a queue (or any) have
-- waited for p_seconds, and no live worker can take them. pool_trouble: the provider of a pool (or any) fails, or a
-- decision within p_seconds has an anomaly. job_alerts: a job (or any) with the operator alert_evaluate reports an
-- alert. If the kind or target of a rule changes, and its old or new kind is job_alerts, its open alerts are resolved.
-- Raises TN003 for wrong options and for more than 1,000 rules of an org, TN001 for an unknown destination, job,
-- dataset or pool.
create or replace function tenuto.put_alert_rule(
  p_org_id uuid, p_name text, p_kind text, p_target text default null, p_threshold int default 1,
  p_seconds int default 3600, p_destination text default null, p_actor text default 'sql')
  returns boolean
  language plpgsql
as $$
declare
  v_new boolean;
begin
  perform tenuto._require_read_committed();
  perform tenuto._check_name('the name of an alert rule', coalesce(p_name, ''), 128);
  perform tenuto._check_name('the target of an alert rule', p_target);
  perform tenuto._check_name('the actor of an alert rule', coalesce(p_actor, ''));
  if coalesce(p_kind not in ('job_failures', 'dataset_age', 'dead_effects', 'no_worker', 'pool_trouble', 'job_alerts'),
      true) then
    perform tenuto._raise('TN003', format('the kind of an alert rule is %L', left(p_kind, 40)),
      'write job_failures, dataset_age, dead_effects, no_worker, pool_trouble or job_alerts');
  elsif p_threshold not between 1 and 1000 or p_seconds not between 1 and 31536000 then
    perform tenuto._raise('TN003', 'threshold is not 1 to 1,000, or seconds is not 1 to 31,536,000 (1 year)');
  elsif p_kind = 'dataset_age' and p_target is null then
    perform tenuto._raise('TN003', 'a rule of kind dataset_age needs a target', 'name the dataset');
  elsif p_kind in ('job_failures', 'job_alerts') and p_target !~ '^[^/]+/[^/]+$' then
    perform tenuto._raise('TN003', format('%L is not a job', left(p_target, 100)),
      'write DAG/JOB, or leave out the target for all jobs');
  elsif p_kind = 'dataset_age' then
    perform tenuto.get_dataset(p_org_id, p_target);
  elsif p_kind in ('job_failures', 'job_alerts') and p_target is not null then
    perform tenuto._find_job_key(p_org_id, split_part(p_target, '/', 1), split_part(p_target, '/', 2));
  elsif p_kind = 'pool_trouble' and p_target is not null then
    perform tenuto._find_pool(p_org_id, p_target);
  end if;
  if p_destination is not null and not exists (
    select from tenuto.destinations d where d.org_id = p_org_id and d.name = p_destination
  ) then
    perform tenuto._raise('TN001', format('no destination %L', left(p_destination, 100)),
      'an admin declares destinations');
  end if;
  perform pg_advisory_xact_lock(hashtextextended('tenuto alert rules ' || p_org_id, 0));
  perform from tenuto.alert_rules r where r.org_id = p_org_id and r.name = p_name for no key update;
  v_new := not found;
  if v_new and (select count(*) from tenuto.alert_rules r where r.org_id = p_org_id) >= 1000 then
    perform tenuto._raise('TN003', 'the org has 1,000 alert rules, and no more are possible', 'delete some of them');
  end if;
  update tenuto.alerts a
  set status = 'resolved', resolved_at = tenuto.now()
  from tenuto.alert_rules r
  where r.org_id = p_org_id and r.name = p_name and (r.kind, r.target) is distinct from (p_kind, p_target)
    and a.org_id = p_org_id and a.rule = p_name and a.resolved_at is null and 'job_alerts' in (r.kind, p_kind);
  insert into tenuto.alert_rules as r
    (org_id, name, kind, target, threshold, seconds, destination, created_by, created_at, due_at)
  values (p_org_id, p_name, p_kind, p_target, p_threshold, p_seconds, p_destination, p_actor, tenuto.now(),
          case when p_kind = 'job_alerts' then 'infinity' else tenuto.now() end)
  on conflict (org_id, name) do update
    set kind = excluded.kind, target = excluded.target, threshold = excluded.threshold, seconds = excluded.seconds,
        destination = excluded.destination, due_at = excluded.due_at;
  perform tenuto._audit(p_org_id, 'alert_rule', p_name, 'set', jsonb_build_object('kind', p_kind, 'target', p_target));
  return v_new;
end
$$;
