-- Pauses a schedule: it starts nothing until it is resumed. Idempotent.
create or replace function tenuto.pause_schedule(p_org_id uuid, p_name text)
  returns void
  language plpgsql
as $$
begin
  update tenuto.schedules
  set paused_at = coalesce(paused_at, tenuto.now())
  where org_id = p_org_id
    and name = p_name;
  if not found then
    perform tenuto._raise('TN001', format('no schedule %s', p_name), 'list the schedules to see which exist');
  end if;
  perform tenuto.unpark_rows('fire_schedules', array[p_org_id || ':' || p_name]);
  perform tenuto._audit(p_org_id, 'schedule', p_name, 'pause');
end
$$;
