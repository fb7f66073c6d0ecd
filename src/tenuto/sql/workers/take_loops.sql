-- Returns the loops among p_loops that this dispatcher runs now. These are the loops that it holds already, and the
-- loops that no dispatcher holds. Renews the leases of its loops when half of a lease is over. A call writes nothing if
-- other dispatchers hold all loops. When a dispatcher dies, its leases expire, and other dispatchers take its loops.
create or replace function tenuto.take_loops(
  p_dispatcher_id uuid, p_loops text[], p_lease interval default '2 seconds')
  returns setof text
  language plpgsql
as $$
declare
  v_now timestamptz := tenuto.now();
  v_others int;   -- number of loops that other dispatchers run
  v_mine int;     -- number of loops that this dispatcher runs and need not renew
begin
  select count(*) filter (where l.dispatcher_id <> p_dispatcher_id and l.expires_at >= v_now),
         count(*) filter (where l.dispatcher_id = p_dispatcher_id and l.expires_at >= v_now + p_lease / 2)
  into v_others, v_mine
  from tenuto.loop_leases l
  where l.loop = any (p_loops);
  if v_others = cardinality(p_loops) then
    return;
  end if;

  if v_others + v_mine < cardinality(p_loops) then
    insert into tenuto.loop_leases (loop, dispatcher_id, expires_at)
    select n.loop, p_dispatcher_id, v_now + p_lease
    from unnest(p_loops) n(loop)
    order by n.loop
    on conflict (loop) do update
      set dispatcher_id = excluded.dispatcher_id, expires_at = excluded.expires_at
      where loop_leases.dispatcher_id = excluded.dispatcher_id or loop_leases.expires_at < v_now;
  end if;
  return query
  select l.loop
  from tenuto.loop_leases l
  where l.loop = any (p_loops)
    and l.dispatcher_id = p_dispatcher_id
    and l.expires_at >= v_now;
end
$$;
