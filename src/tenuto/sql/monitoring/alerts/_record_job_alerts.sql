-- Records the alerts that a job found in a partition, {job, partition, alerts}, for every rule about its alerts. Locks
-- these rules, so that they do not change before the transaction ends.
create or replace function tenuto._record_job_alerts(p_org_id uuid, p_found jsonb)
  returns void
  language plpgsql
as $$
declare
  v_rule tenuto.alert_rules;
  v_place jsonb := p_found - 'alerts';
  v_causes jsonb := (
    select coalesce(jsonb_agg(jsonb_build_object(
             'key', case when octet_length(k.key) <= 512 then k.key else md5(k.key) end, 'summary', a ->> 'summary',
             'details', v_place || jsonb_build_object('severity', a -> 'severity', 'row', a -> 'row'))), '[]')
    from jsonb_array_elements(p_found -> 'alerts') a
    cross join lateral (
      select concat_ws(' ', p_found ->> 'job', nullif(p_found ->> 'partition', ''), a ->> 'key') as key) k);
begin
  for v_rule in
    select r.*
    from tenuto.alert_rules r
    where r.org_id = p_org_id and r.kind = 'job_alerts' and (r.target is null or r.target = p_found ->> 'job')
    order by r.name
    for share
  loop
    perform tenuto._record_causes(v_rule, v_causes, v_place);
  end loop;
end
$$;
