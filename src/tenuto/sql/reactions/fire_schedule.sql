-- Starts one run for each moment and sets the next time, if the schedule still waits for p_expected: of two dispatchers
-- one fires. Null: it was not ours to fire (fired, edited, paused or deleted meanwhile). No moments: the time is skipped.
-- A moment is a dedupe key of the schedule's name, so that it is unique even when an edit brings it back.
create or replace function tenuto.fire_schedule(
  p_org_id uuid, p_name text, p_expected timestamptz, p_fire_times timestamptz[], p_next_at timestamptz)
  returns uuid[]
  language plpgsql
as $$
declare
  v_schedule tenuto.schedules;
  v_at timestamptz;
  v_moment text;
  v_details jsonb;
  v_started record;
  v_runs uuid[] := '{}';
begin
  if cardinality(p_fire_times) > 1000 then
    perform tenuto._raise('TN007', format('%s moments of schedule %s in one call, more than 1000', cardinality(p_fire_times), p_name),
      'fire the rest with the next call');
  elsif p_next_at <= p_expected or exists (select from unnest(p_fire_times) f where f is null or f < p_expected or f >= p_next_at or f > tenuto.now()) then
    perform tenuto._raise('TN003', format('moments %s of schedule %s are not from %s to before %s, or not come yet',
      p_fire_times, p_name, p_expected, coalesce(p_next_at::text, 'its end')));
  end if;

  update tenuto.schedules s
  set next_at = p_next_at,
      last_at = coalesce((select max(f) from unnest(p_fire_times) f), s.last_at)
  where s.org_id = p_org_id
    and s.name = p_name
    and s.next_at = p_expected
    and s.paused_at is null
  returning s.* into v_schedule;
  if not found then
    return null;
  end if;

  foreach v_at in array coalesce(p_fire_times, '{}')
  loop
    v_moment := to_char(v_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
    v_details := coalesce(v_schedule.details, '{}') || jsonb_build_object(
      'task', 0, 'delay_seconds', random() * v_schedule.jitter_seconds,
      'metadata', coalesce(v_schedule.details -> 'metadata', '{}') || jsonb_build_object('schedule', p_name, 'fire_time', v_moment));
    select r.* into v_started
    from tenuto.start_run(p_org_id, jsonb_build_object('name', p_name, 'dedupe_key', p_name || '@' || v_moment),
                          jsonb_build_array(v_schedule.kind), array[v_schedule.input], p_details => jsonb_build_array(v_details)) r;
    if v_started.created then
      v_runs := v_runs || v_started.run_id;
    end if;
  end loop;
  return v_runs;
end
$$;
