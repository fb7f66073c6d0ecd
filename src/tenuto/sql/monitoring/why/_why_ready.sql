-- Returns why a ready task has not been claimed yet.
create or replace function tenuto._why_ready(p_ready tenuto.ready_tasks)
  returns text
  language plpgsql
  stable
as $$
declare
  v_route tenuto.routes;
  v_group tenuto.resource_groups;
  v_running bigint;
  v_ahead bigint;
  v_hidden text := '';
begin
  select o.* into v_route from tenuto.routes o where o.id = p_ready.route_id;
  if v_route.paused then
    return format('queue %s is paused', v_route.queue) || coalesce((
      select format(' since %s', tenuto._format_time(q.paused_at))
      from tenuto.queues q
      where q.org_id = v_route.org_id and q.name = v_route.queue), '');
  end if;
  if v_route.soft then
    return format('for two seconds, a worker at %s can take it, where its inputs are held; after that, any worker',
                  array_to_string(v_route.addresses, ' or '))
      || coalesce(tenuto._why_not_moved(p_ready.queued_at + interval '2 seconds'), '');
  end if;
  select g.* into v_group from tenuto.resource_groups g where g.no = p_ready.group_no;
  if v_group.quota is not null then
    select count(*) into v_running from tenuto.running_tasks r where r.group_no = p_ready.group_no;
    if v_running >= v_group.quota then
      return format('resource group %s is at its quota (%s of %s running)', v_group.external_id, v_running,
        v_group.quota);
    end if;
  end if;

  if p_ready.queued_at < tenuto.now() - interval '5 seconds' and not exists (
    select from tenuto.ready_lanes l
    where l.route_id = p_ready.route_id and l.group_no = p_ready.group_no and l.priority = p_ready.priority)
  then
    v_hidden := '; its lane is not open yet: the next claim opens it' || coalesce((
      select format(', but follow_arrivals failed on that %s times and tries again at %s: %s', p.failures,
                    tenuto._format_time(p.retry_at), left(p.error, 200))
      from tenuto.arrivals a
      join tenuto.parked_rows p on p.loop = 'follow_arrivals' and p.key = a.id::text
      where a.route_id = p_ready.route_id and a.group_no = p_ready.group_no and a.priority = p_ready.priority
      limit 1), '');
  end if;
  select count(*) into v_ahead
  from (
    (select 1
     from tenuto.ready_tasks q
     where q.route_id = p_ready.route_id and q.group_no = p_ready.group_no and q.priority > p_ready.priority
     limit 1000)
    union all
    (select 1
     from tenuto.ready_tasks q
     where q.route_id = p_ready.route_id
       and q.group_no = p_ready.group_no
       and q.priority = p_ready.priority
       and q.seq < p_ready.seq
     limit 1000)
    limit 1000) q;
  return coalesce(tenuto._why_no_worker(v_route, p_ready.group_no),
    format('ready since %s; tasks ahead of it: %s', tenuto._format_time(p_ready.queued_at),
           case v_ahead when 0 then 'none' when 1000 then '1000 or more' else v_ahead::text end) || v_hidden);
end
$$;
