-- -> firing, firing | acknowledged -> resolved: records what a rule finds now, a list of {key, summary, details}. A
-- cause that is found again belongs to the same alert. An open alert whose details contain p_scope is resolved if its
-- cause is not found. If the rule has a destination and is not silenced, its new and its resolved alerts are queued for
-- delivery in the same transaction.
create or replace function tenuto._record_causes(
  p_rule tenuto.alert_rules, p_causes jsonb, p_scope jsonb default '{}')
  returns void
  language plpgsql
as $$
declare
  v_changed tenuto.alerts[];
begin
  with causes as materialized (
    select c.key, left(c.summary, 1000) as summary, c.details
    from jsonb_to_recordset(p_causes) as c(key text, summary text, details jsonb)
  ), raised as (
    insert into tenuto.alerts as a (id, org_id, rule, key, status, summary, details, first_at, last_at)
    select tenuto._uuid7(), p_rule.org_id, p_rule.name, c.key, 'firing', c.summary, c.details, tenuto.now(),
           tenuto.now()
    from causes c
    on conflict (org_id, rule, key) where resolved_at is null do update
      set evaluations = a.evaluations + 1, last_at = excluded.last_at, summary = excluded.summary,
          details = excluded.details
    returning a.*
  ), resolved as (
    update tenuto.alerts a
    set status = 'resolved', resolved_at = tenuto.now()
    where a.org_id = p_rule.org_id and a.rule = p_rule.name and a.resolved_at is null and a.details @> p_scope
      and a.key not in (select c.key from causes c)
    returning a.*
  )
  select array_agg(n::tenuto.alerts) into v_changed
  from (select * from raised r where r.evaluations = 1 union all select * from resolved) n;
  if p_rule.destination is not null and coalesce(p_rule.silenced_until <= tenuto.now(), true) then
    perform tenuto._publish(p_rule.org_id, 'deliver',
      array_agg(jsonb_build_object('destination', p_rule.destination, 'body', jsonb_build_object(
        'alert', a.id, 'rule', a.rule, 'key', a.key, 'status', a.status, 'summary', a.summary,
        'details', a.details, 'first_at', a.first_at))),
      p_keys => array_agg('alert:' || a.id || ':' || a.status))
    from unnest(v_changed) a
    having count(*) > 0;
  end if;
end
$$;
