-- Returns the number of a route, and creates the route at its first use. Inside a client's transaction, which may stay
-- open for a long time, the route is created as a duplicate (twin) and without the queue's lock, so that no other
-- transaction waits for this one. _register_lanes checks again whether the queue of the route is paused.
create or replace function tenuto._intern_route(
  p_org_id uuid, p_queue text, p_type text, p_language text, p_labels text[], p_addresses text[] default '{}',
  p_blocked_versions text[] default '{}', p_soft boolean default false)
  returns int
  language plpgsql
as $$
declare
  v_labels text[] := array(select distinct l from unnest(p_labels) l order by 1);
  v_addresses text[] := array(select distinct a from unnest(p_addresses) a order by 1);
  v_in_transaction boolean;
  v_id int;
  v_paused boolean;
begin
  select id into v_id
  from tenuto.routes
  where org_id = p_org_id and queue = p_queue and type = p_type and language = p_language
    and labels = v_labels and addresses = v_addresses and blocked_versions = p_blocked_versions
    and soft = p_soft
  order by twin
  limit 1;
  if found then
    return v_id;
  end if;

  v_in_transaction := tenuto._in_transaction();
  if v_in_transaction then
    select q.paused_at is not null into v_paused from tenuto.queues q where q.org_id = p_org_id and q.name = p_queue;
  else
    -- The queue is locked until the route exists. So a concurrent pause either came first, or waits and then finds the
    -- route.
    insert into tenuto.queues (org_id, name) values (p_org_id, p_queue) on conflict do nothing;
    select q.paused_at is not null into v_paused
    from tenuto.queues q
    where q.org_id = p_org_id and q.name = p_queue
    for share;
  end if;

  insert into tenuto.routes (org_id, queue, type, language, labels, addresses, blocked_versions, paused, twin,
    soft)
  values (p_org_id, p_queue, p_type, p_language, v_labels, v_addresses, p_blocked_versions, coalesce(v_paused, false),
          case when v_in_transaction then pg_current_xact_id()::text::bigint else 0 end, p_soft)
  on conflict on constraint route_is_unique do nothing
  returning id into v_id;
  if v_id is null then
    -- Another transaction created the route after this statement's snapshot: a new statement sees it.
    select id into strict v_id
    from tenuto.routes
    where org_id = p_org_id and queue = p_queue and type = p_type and language = p_language
      and labels = v_labels and addresses = v_addresses and blocked_versions = p_blocked_versions and twin = 0
      and soft = p_soft;
  end if;
  return v_id;
end
$$;
