-- -> firing, firing | acknowledged -> resolved: evaluates the alert rules that are due, at most p_limit, every 30
-- seconds each. A cause that is found again is the same alert. A new alert of a rule with a destination is queued for
-- delivery in the same transaction, unless the rule is silenced; so is its end. With p_keys, only these rules
-- (org:name), even if they are parked. Returns how many rules were evaluated.
create or replace function tenuto.evaluate_alerts(p_limit int default 100, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_rule tenuto.alert_rules;
  v_parked text[] := tenuto._parked('evaluate_alerts', p_keys);
  v_changed tenuto.alerts[];
  v_count bigint := 0;
begin
  for v_rule in
    select r.*
    from tenuto.alert_rules r
    where r.due_at <= tenuto.now()
      and (p_keys is null or r.org_id || ':' || r.name = any (p_keys))
      and r.org_id || ':' || r.name <> all (v_parked)
    order by r.due_at
    limit p_limit
    for update skip locked
  loop
    with causes as materialized (
      select c.key, left(c.summary, 1000) as summary, c.details from tenuto._find_causes(v_rule) c
    ), raised as (
      insert into tenuto.alerts as a (id, org_id, rule, key, status, summary, details, first_at, last_at)
      select tenuto._uuid7(), v_rule.org_id, v_rule.name, c.key, 'firing', c.summary, c.details, tenuto.now(),
             tenuto.now()
      from causes c
      on conflict (org_id, rule, key) where resolved_at is null do update
        set evaluations = a.evaluations + 1, last_at = excluded.last_at, summary = excluded.summary,
            details = excluded.details
      returning a.*
    ), resolved as (
      update tenuto.alerts a
      set status = 'resolved', resolved_at = tenuto.now()
      where a.org_id = v_rule.org_id and a.rule = v_rule.name and a.resolved_at is null
        and a.key not in (select c.key from causes c)
      returning a.*
    )
    select array_agg(n::tenuto.alerts) into v_changed
    from (select * from raised r where r.evaluations = 1 union all select * from resolved) n;
    if v_rule.destination is not null and coalesce(v_rule.silenced_until <= tenuto.now(), true) then
      perform tenuto._publish(v_rule.org_id, 'deliver',
        array_agg(jsonb_build_object('destination', v_rule.destination, 'body', jsonb_build_object(
          'alert', a.id, 'rule', a.rule, 'key', a.key, 'status', a.status, 'summary', a.summary,
          'details', a.details, 'first_at', a.first_at))),
        p_keys => array_agg('alert:' || a.id || ':' || a.status))
      from unnest(v_changed) a
      having count(*) > 0;
    end if;
    update tenuto.alert_rules
    set due_at = tenuto.now() + interval '30 seconds'
    where org_id = v_rule.org_id and name = v_rule.name;
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
