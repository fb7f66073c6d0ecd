-- -> firing, firing | acknowledged -> resolved: evaluates the alert rules that are due, at most p_limit. Each rule is
-- due every 30 seconds. Rules of kind job_alerts are not evaluated here, because raise_alerts records these alerts.
-- With p_keys, evaluates only these rules (org:name), even if they are parked. Returns how many rules were evaluated.
create or replace function tenuto.evaluate_alerts(p_limit int default 100, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_rule tenuto.alert_rules;
  v_parked text[] := tenuto._parked('evaluate_alerts', p_keys);
  v_count bigint := 0;
begin
  for v_rule in
    select r.*
    from tenuto.alert_rules r
    where r.due_at <= tenuto.now() and r.kind <> 'job_alerts'
      and (p_keys is null or r.org_id || ':' || r.name = any (p_keys))
      and r.org_id || ':' || r.name <> all (v_parked)
    order by r.due_at
    limit p_limit
    for update skip locked
  loop
    perform tenuto._record_causes(v_rule, coalesce(jsonb_agg(to_jsonb(c)), '[]'))
    from tenuto._find_causes(v_rule) c;
    update tenuto.alert_rules
    set due_at = tenuto.now() + interval '30 seconds'
    where org_id = v_rule.org_id and name = v_rule.name;
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
