-- Creates or replaces a schedule. An existing schedule gets the new kind, input and policy. Its next time stays the
-- same unless cron or timezone changed, so that a deployment neither skips nor repeats a time. A paused schedule stays
-- paused.
create or replace function tenuto.put_schedule(
  p_org_id uuid, p_name text, p_kind jsonb, p_cron text, p_next_at timestamptz, p_input jsonb default null,
  p_details jsonb default null, p_timezone text default 'UTC', p_catch_up text default 'one',
  p_jitter_seconds float8 default 0)
  returns tenuto.schedules
  language plpgsql
as $$
declare
  v_schedule tenuto.schedules := tenuto._put_schedule(
    p_org_id, p_name, p_kind, p_cron, p_next_at, p_input, p_details, p_timezone, p_catch_up, p_jitter_seconds);
begin
  perform tenuto._audit(p_org_id, 'schedule', p_name, 'put',
    jsonb_build_object('cron', p_cron, 'type', p_kind ->> 'type'));
  return v_schedule;
end
$$;
