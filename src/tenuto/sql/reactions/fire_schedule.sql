-- Fires one schedule, as fire_schedules does. Returns null if fire_schedules skipped it, such as a schedule whose next
-- time is not p_expected or that is paused or held.
create or replace function tenuto.fire_schedule(
  p_org_id uuid, p_name text, p_expected timestamptz, p_fire_times timestamptz[], p_next_at timestamptz)
  returns uuid[]
  language sql
as $$
  select f.run_ids
  from tenuto.fire_schedules(array[p_org_id], array[p_name], array[p_expected],
                             jsonb_build_array(coalesce(to_jsonb(p_fire_times), '[]')), array[p_next_at]) f;
$$;
