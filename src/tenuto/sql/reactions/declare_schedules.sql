-- Declares the schedules of an app: creates or changes the schedules in p_schedules (each has the parameters of
-- put_schedule). Deletes schedules that have the name of a type in p_types and are not in p_schedules. The latest
-- declaration wins. p_queues: the queues that the declaring worker key allows (null or '*': any). Raises TN009 for a
-- schedule of another queue, or with a limit of another queue. Returns what changed, for the audit log.
create or replace function tenuto.declare_schedules(
  p_org_id uuid, p_types text[], p_schedules jsonb, p_queues text[] default null)
  returns table (name text, action text, changes jsonb)
  language plpgsql
as $$
declare
  v_item record;
  v_old tenuto.schedules;
  v_new tenuto.schedules;
  v_kind jsonb;
  v_details jsonb;
begin
  -- Puts and deletes schedules in the order of their names, so that concurrent declarations do not deadlock.
  for v_item in
    select coalesce(d.s ->> 'name', t.type) as name, d.s as schedule
    from jsonb_array_elements(p_schedules) d(s)
    full join (select distinct u.type from unnest(p_types) u(type)) t on t.type = d.s ->> 'name'
    order by 1
  loop
    name := v_item.name;
    select * into v_old from tenuto.schedules s where s.org_id = p_org_id and s.name = v_item.name for update;
    if found then
      perform tenuto._check_schedule_queue(name, v_old.kind, p_queues);
    end if;
    if v_item.schedule is not null then
      v_kind := tenuto._pinned_kind(p_org_id, v_item.schedule -> 'kind', p_queues);
      perform tenuto._check_schedule_queue(name, v_kind, p_queues);
      select i.p_details
      into v_details
      from tenuto._apply_declared_options(p_org_id, null, array[v_item.schedule -> 'input'], jsonb_build_array(v_kind),
        jsonb_build_array(coalesce(nullif(v_item.schedule -> 'details', 'null'), '{}') || '{"task": 0}')) i;
      perform tenuto._check_limit_owners(format('schedule %s', name), p_org_id, p_queues,
        jsonb_path_query_array(v_details, '$[*].limits[*]'));
      v_new := tenuto._put_schedule(p_org_id, name, v_kind, v_item.schedule ->> 'cron',
        (v_item.schedule ->> 'next_at')::timestamptz, nullif(v_item.schedule -> 'input', 'null'),
        nullif(v_item.schedule -> 'details', 'null'), coalesce(v_item.schedule ->> 'timezone', 'UTC'),
        coalesce(v_item.schedule ->> 'catch_up', 'one'),
        coalesce((v_item.schedule ->> 'jitter_seconds')::float8, 0));
      action := 'put';
      changes := tenuto._schedule_changes(v_old, v_new);
      if changes <> '{}' then   -- empty when a worker declares the same again
        return next;
      end if;
    elsif v_old.name is not null then
      perform tenuto._delete_schedule(p_org_id, name);
      action := 'delete';
      changes := jsonb_build_object('cron', jsonb_build_object('old', v_old.cron));
      return next;
    end if;
  end loop;
end
$$;
