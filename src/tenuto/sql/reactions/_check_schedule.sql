-- Refuses a schedule whose runs could not be started: that must show when it is put, not at three in the morning.
create or replace function tenuto._check_schedule(
  p_org_id uuid, p_name text, p_kind jsonb, p_input jsonb, p_details jsonb, p_cron text, p_timezone text, p_catch_up text, p_jitter_seconds float8)
  returns void
  language plpgsql
as $$
declare
  v_kinds tenuto.kind[];
begin
  perform tenuto._check_name('the name of a schedule', coalesce(p_name, ''), 200);
  perform tenuto._check_name(format('the cron of schedule %s', p_name), coalesce(p_cron, ''));
  perform tenuto._check_name(format('the timezone of schedule %s', p_name), coalesce(p_timezone, ''));
  if p_catch_up is null or p_catch_up not in ('skip', 'one', 'all') then
    perform tenuto._raise('TN003', format('catch_up of schedule %s is %L', p_name, p_catch_up), 'write skip, one or all');
  elsif p_jitter_seconds is null or p_jitter_seconds not between 0 and 86400 then
    perform tenuto._raise('TN003', format('jitter of schedule %s is %s seconds', p_name, coalesce(p_jitter_seconds::text, 'null')),
      'write 0 to 86400');
  end if;

  v_kinds := tenuto._read_kinds(p_org_id, jsonb_build_array(p_kind - 'inherit'));
  if (v_kinds[1]).handler is not null then
    perform tenuto._raise('TN003', format('schedule %s starts a handler', p_name), 'handlers belong to a run: leave handler out');
  end if;
  if p_details is not null then
    perform tenuto._check_keys(format('details of schedule %s', p_name), p_details, array['priority', 'limits', 'metadata']);
    if jsonb_typeof(p_details -> 'metadata') <> 'object' then
      perform tenuto._raise('TN003', format('metadata of schedule %s is not a JSON object', p_name));
    end if;
  end if;
  perform tenuto._check_batch(null, array[p_input], null, jsonb_build_array(coalesce(p_details, '{}') || '{"task": 0}'), v_kinds);
end
$$;
