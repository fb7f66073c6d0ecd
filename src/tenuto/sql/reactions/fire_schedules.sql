-- Fires several schedules in one transaction, as fire_schedule fires one. Returns how many were ours to fire.
-- p_fire_times: for each schedule a list of moments. Schedules are locked in the order of their names.
create or replace function tenuto.fire_schedules(
  p_org_ids uuid[], p_names text[], p_expected timestamptz[], p_fire_times jsonb, p_next_at timestamptz[])
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_due record;
  v_fired bigint := 0;
begin
  for v_due in
    select d.org_id, d.name, d.expected, d.next_at,
           array(select m::timestamptz from jsonb_array_elements_text(p_fire_times -> (d.no::int - 1)) m) as moments
    from unnest(p_org_ids, p_names, p_expected, p_next_at) with ordinality as d(org_id, name, expected, next_at, no)
    order by d.org_id, d.name
  loop
    if tenuto.fire_schedule(v_due.org_id, v_due.name, v_due.expected, v_due.moments, v_due.next_at) is not null then
      v_fired := v_fired + 1;
    end if;
  end loop;
  return v_fired;
end
$$;
