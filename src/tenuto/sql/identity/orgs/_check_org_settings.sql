-- Raises TN003 for an unknown org setting, and for a setting whose value is out of its bounds.
create or replace function tenuto._check_org_settings(p_settings jsonb)
  returns void
  language plpgsql
as $$
declare
  v_wrong record;
begin
  if p_settings is null or jsonb_typeof(p_settings) <> 'object' then
    perform tenuto._raise('TN003', 'org settings are not a JSON object');
  end if;
  for v_wrong in
    select g.key, g.value, s.name, s.low, s.high, s.whole
    from jsonb_each(p_settings) g
    left join (values
      ('retention_days', 1, 3650, false),
      ('effect_retention_hours', 1, 87600, false),
      ('object_retention_hours', 1, 87600, false),
      ('max_object_bytes', 0, 1e15, true),
      ('max_schedules', 0, 10000, true),
      ('stale_heartbeat_seconds', 1, 86400, false),
      ('stuck_task_seconds', 1, 31536000, false),
      ('starting_timeout_seconds', 1, 86400, false),
      ('silent_worker_seconds', 1, 86400, false),
      ('error_grace_seconds', 0, 2592000, false)) s(name, low, high, whole) on s.name = g.key
    where g.key not in ('never_stuck_types', 'wider_readers', 'lineage_namespace')
    order by g.key
  loop
    if v_wrong.name is null then
      perform tenuto._raise('TN003', format('unknown org setting %L', left(v_wrong.key, 100)),
        'known settings: retention_days, effect_retention_hours, object_retention_hours, max_object_bytes, '
        'max_schedules, stale_heartbeat_seconds, stuck_task_seconds, starting_timeout_seconds, '
        'silent_worker_seconds, error_grace_seconds, never_stuck_types, wider_readers, lineage_namespace');
    end if;
    if (case when jsonb_typeof(v_wrong.value) = 'number'
             then v_wrong.value::numeric not between v_wrong.low and v_wrong.high
               or (v_wrong.whole and v_wrong.value::numeric % 1 <> 0)
             else true end) then
      perform tenuto._raise('TN003', format('%s is %s, not a %s from %s to %s', v_wrong.key,
        left(v_wrong.value::text, 100), case when v_wrong.whole then 'whole number' else 'number' end, v_wrong.low,
        case when v_wrong.high = 1e15 then '10^15' else v_wrong.high::text end));
    end if;
  end loop;
  if coalesce(p_settings -> 'wider_readers', '"warn"') not in ('"warn"', '"deny"') then
    perform tenuto._raise('TN003', format('wider_readers is %s, not warn or deny',
      left((p_settings -> 'wider_readers')::text, 100)),
      'write "deny" to refuse deploys and grants with which a role can read a dataset but not its sources, '
      '"warn" to allow them');
  end if;
  if coalesce(p_settings ->> 'lineage_namespace', 'x') !~ '^[!-~]{1,200}$'
    or jsonb_typeof(p_settings -> 'lineage_namespace') <> 'string'
  then
    perform tenuto._raise('TN003', format('lineage_namespace is %s, not a text of up to 200 visible ASCII characters',
      left((p_settings -> 'lineage_namespace')::text, 100)), 'write a URI, such as "tenuto://production/acme"');
  end if;
  if p_settings ? 'never_stuck_types' and jsonb_path_match(p_settings -> 'never_stuck_types',
    'strict $.type() == "array" && $.size() <= 100 && !exists($[*] ? (@.type() != "string" || @ == ""))', '{}', true)
    is not true
  then
    perform tenuto._raise('TN003', format('never_stuck_types is %s, not a list of at most 100 task types',
      left((p_settings -> 'never_stuck_types')::text, 100)), 'write task types, with * for any text: ["video.*"]');
  end if;
end
$$;
