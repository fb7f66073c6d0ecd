-- Raises an error for a schedule whose runs could not be started: such a schedule must fail when it is created, not
-- when it fires.
create or replace function tenuto._check_schedule(
  p_org_id uuid, p_name text, p_kind jsonb, p_input jsonb, p_details jsonb, p_cron text, p_timezone text,
  p_catch_up text, p_jitter_seconds float8)
  returns void
  language plpgsql
as $$
declare
  v_kinds tenuto.task_spec[];
  v_raw jsonb := jsonb_build_array(p_kind);
  v_details jsonb;
begin
  perform tenuto._check_name('the name of a schedule', coalesce(p_name, ''), 200);
  perform tenuto._check_name(format('the cron of schedule %s', p_name), coalesce(p_cron, ''));
  perform tenuto._check_name(format('the timezone of schedule %s', p_name), coalesce(p_timezone, ''));
  if p_catch_up is null or p_catch_up not in ('skip', 'one', 'all') then
    perform tenuto._raise('TN003', format('catch_up of schedule %s is %L', p_name, p_catch_up),
      'write skip, one or all');
  elsif p_jitter_seconds is null or p_jitter_seconds not between 0 and 86400 then
    perform tenuto._raise('TN003',
      format('jitter of schedule %s is %s seconds', p_name, coalesce(p_jitter_seconds::text, 'null')),
      'write 0 to 86400');
  end if;

  -- Checks the start that fire_schedules will make: with the options that the type declares, and with the metadata that
  -- fire_schedules adds.
  v_details := jsonb_build_array(
    coalesce(p_details, '{}')
    || jsonb_build_object(
      'task', 0,
      'metadata',
      case when coalesce(jsonb_typeof(p_details -> 'metadata'), 'null') = 'object'
           then p_details -> 'metadata'
           else '{}' end
      || jsonb_build_object('schedule', p_name, 'fire_time', '2000-01-01T00:00:00Z')));
  if p_kind ? 'inherit' then
    select i.p_kinds, i.p_details
    into v_raw, v_details
    from tenuto._apply_declared_options(p_org_id, null, array[p_input], v_raw, v_details) i;
  end if;
  v_kinds := tenuto._read_kinds(p_org_id, v_raw);
  if (v_kinds[1]).handler is not null then
    perform tenuto._raise('TN003', format('schedule %s starts a handler', p_name),
      'handlers belong to a run: leave handler out');
  end if;
  if p_details is not null then
    perform tenuto._check_keys(format('details of schedule %s', p_name), p_details,
      array['priority', 'limits', 'metadata']);
    if jsonb_typeof(p_details -> 'metadata') <> 'object' then
      perform tenuto._raise('TN003', format('metadata of schedule %s is not a JSON object', p_name));
    end if;
  end if;
  perform tenuto._check_batch(null, array[p_input], null, v_details, v_kinds);
end
$$;
