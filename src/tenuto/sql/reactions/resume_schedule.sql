-- Resumes a paused schedule at p_next_at: times that passed during the pause are not fired. p_cron and p_timezone are
-- the values from which p_next_at was computed; raises TN004 if the schedule has other values by now. Does nothing if
-- the schedule is not paused.
create or replace function tenuto.resume_schedule(
  p_org_id uuid, p_name text, p_next_at timestamptz, p_cron text, p_timezone text)
  returns void
  language plpgsql
as $$
begin
  update tenuto.schedules
  set next_at = p_next_at,
      starts_after = null,
      paused_at = null
  where org_id = p_org_id
    and name = p_name
    and paused_at is not null
    and cron = p_cron
    and timezone = p_timezone;
  if not found and (tenuto.get_schedule(p_org_id, p_name)).paused_at is not null then
    perform tenuto._raise('TN004', format('schedule %s was changed at the same time', p_name), 'resume it again');
  end if;
  perform tenuto._audit(p_org_id, 'schedule', p_name, 'resume');
end
$$;
