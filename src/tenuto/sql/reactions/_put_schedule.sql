-- Creates or changes a schedule without an entry in the audit log: put_schedule adds the entry, and declare_schedules
-- returns its changes for the audit log. If the cron and timezone are unchanged, the next fire time stays.
create or replace function tenuto._put_schedule(
  p_org_id uuid, p_name text, p_kind jsonb, p_cron text, p_next_at timestamptz, p_input jsonb default null,
  p_details jsonb default null, p_timezone text default 'UTC', p_catch_up text default 'one',
  p_jitter_seconds float8 default 0)
  returns tenuto.schedules
  language plpgsql
as $$
declare
  v_schedule tenuto.schedules;
  v_max bigint := (
    select coalesce((o.settings ->> 'max_schedules')::bigint, 10000) from tenuto.orgs o where o.id = p_org_id);
begin
  perform tenuto._refuse_job_schedule(p_org_id, p_name);
  if not exists (select from tenuto.schedules s where s.org_id = p_org_id and s.name = p_name)
     and (select count(*) from (select from tenuto.schedules s where s.org_id = p_org_id limit v_max) s) >= v_max then
    perform tenuto._raise('TN007',
      format('the org already has its maximum of %s schedules', trim(to_char(v_max, '999,990'))),
      'delete some, or let one schedule start several tasks; an admin can raise max_schedules in the settings of the '
      'org, up to 10,000');
  end if;
  perform tenuto._check_schedule(p_org_id, p_name, p_kind, p_input, p_details, p_cron, p_timezone, p_catch_up,
    p_jitter_seconds);
  insert into tenuto.schedules (org_id, name, kind, input, details, cron, timezone, catch_up, jitter_seconds, next_at,
    created_at)
  values (p_org_id, p_name, p_kind, p_input, p_details, p_cron, p_timezone, p_catch_up, p_jitter_seconds, p_next_at,
    tenuto.now())
  on conflict (org_id, name) do update
    set kind = excluded.kind,
        input = excluded.input,
        details = excluded.details,
        cron = excluded.cron,
        timezone = excluded.timezone,
        catch_up = excluded.catch_up,
        jitter_seconds = excluded.jitter_seconds,
        next_at = case when (schedules.cron, schedules.timezone) = (excluded.cron, excluded.timezone)
                       then schedules.next_at
                       else excluded.next_at end
  returning * into v_schedule;
  perform tenuto.unpark_rows('fire_schedules', array[p_org_id || ':' || p_name]);   -- the changed schedule may work
  return v_schedule;
end
$$;
