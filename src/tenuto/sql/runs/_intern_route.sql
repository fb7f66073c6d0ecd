-- The number of a route, made on its first use. The first use inside an open transaction makes others wait for it,
-- so workers intern theirs when they register.
create or replace function tenuto._intern_route(
  p_org_id uuid, p_queue text, p_type text, p_language text, p_labels text[], p_addresses text[] default '{}')
  returns int
  language plpgsql
as $$
declare
  v_labels text[] := array(select distinct l from unnest(p_labels) l order by 1);
  v_addresses text[] := array(select distinct a from unnest(p_addresses) a order by 1);
  v_id int;
  v_paused boolean;
begin
  select id into v_id
  from tenuto.routes
  where org_id = p_org_id and queue = p_queue and type = p_type and language = p_language
    and labels = v_labels and addresses = v_addresses;
  if found then
    return v_id;
  end if;

  -- The queue is held until the route is there: who pauses it meanwhile waits and finds the route, or is found.
  insert into tenuto.queues (org_id, name) values (p_org_id, p_queue) on conflict do nothing;
  select q.paused_at is not null into v_paused from tenuto.queues q where q.org_id = p_org_id and q.name = p_queue for share;

  insert into tenuto.routes (org_id, queue, type, language, labels, addresses, paused)
  values (p_org_id, p_queue, p_type, p_language, v_labels, v_addresses, v_paused)
  on conflict on constraint route_is_unique do nothing
  returning id into v_id;
  if v_id is null then
    -- Another transaction made it after our snapshot: a new statement sees it.
    select id into strict v_id
    from tenuto.routes
    where org_id = p_org_id and queue = p_queue and type = p_type and language = p_language
      and labels = v_labels and addresses = v_addresses;
  end if;
  return v_id;
end
$$;
