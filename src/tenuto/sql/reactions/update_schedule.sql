-- Changes the times, policy, input or metadata of a schedule; a parameter that is null changes nothing. p_old_cron and
-- p_old_timezone: the values that the caller has seen; raises TN004 if the schedule has other values by now. p_next_at:
-- the next time after the change; used only if the cron expression or the timezone changes. A paused schedule stays
-- paused.
create or replace function tenuto.update_schedule(
  p_org_id uuid, p_name text, p_old_cron text, p_old_timezone text, p_next_at timestamptz, p_cron text default null,
  p_timezone text default null, p_catch_up text default null, p_jitter_seconds float8 default null,
  p_input jsonb default null, p_metadata jsonb default null)
  returns tenuto.schedules
  language plpgsql
as $$
declare
  v_old tenuto.schedules;
  v_new tenuto.schedules;
  v_changes jsonb := jsonb_strip_nulls(jsonb_build_object(
    'cron', p_cron, 'timezone', p_timezone, 'catch_up', p_catch_up, 'jitter_seconds', p_jitter_seconds));
begin
  perform tenuto._refuse_job_schedule(p_org_id, p_name);
  select s.* into v_old from tenuto.schedules s where s.org_id = p_org_id and s.name = p_name for no key update;
  update tenuto.schedules s
  set cron = coalesce(p_cron, s.cron),
      timezone = coalesce(p_timezone, s.timezone),
      catch_up = coalesce(p_catch_up, s.catch_up),
      jitter_seconds = coalesce(p_jitter_seconds, s.jitter_seconds),
      input = coalesce(p_input, s.input),
      details = case when p_metadata is null then s.details
                     else coalesce(s.details, '{}') || jsonb_build_object('metadata', p_metadata) end,
      next_at = case when (coalesce(p_cron, s.cron), coalesce(p_timezone, s.timezone)) = (s.cron, s.timezone)
                     then s.next_at
                     else p_next_at end
  where s.org_id = p_org_id
    and s.name = p_name
    and s.cron = p_old_cron
    and s.timezone = p_old_timezone
  returning s.* into v_new;
  if not found then
    perform tenuto.get_schedule(p_org_id, p_name);
    perform tenuto._raise('TN004', format('schedule %s was changed at the same time', p_name), 'change it again');
  end if;
  perform tenuto._check_schedule(p_org_id, p_name, v_new.kind, v_new.input, v_new.details, v_new.cron,
    v_new.timezone, v_new.catch_up, v_new.jitter_seconds);
  perform tenuto.unpark_rows('fire_schedules', array[p_org_id || ':' || p_name]);   -- the changed schedule may work
  perform tenuto._audit(p_org_id, 'schedule', p_name, 'update',
    v_changes || jsonb_build_object('input', p_input, 'metadata', p_metadata),
    coalesce((select jsonb_object_agg(o.key, o.value) from jsonb_each(to_jsonb(v_old)) o where v_changes ? o.key), '{}')
    || jsonb_build_object(
      'input', case when p_input is not null then v_old.input end,
      'metadata', case when p_metadata is not null then v_old.details -> 'metadata' end));
  return v_new;
end
$$;
