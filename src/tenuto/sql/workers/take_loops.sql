-- Returns the loops among p_loops that this dispatcher runs now: those it holds, renewed when half of their lease is over,
-- and those that nobody holds. A dispatcher that asks in vain writes nothing. Leases of dispatchers that died run out.
create or replace function tenuto.take_loops(
  p_dispatcher_id uuid, p_loops text[], p_lease interval default '2 seconds')
  returns setof text
  language plpgsql
as $$
begin
  if exists (select
             from unnest(p_loops) n(loop)
             left join tenuto.loop_leases l using (loop)
             where l.loop is null
                or l.expires_at < tenuto.now()
                or (l.dispatcher_id = p_dispatcher_id and l.expires_at < tenuto.now() + p_lease / 2)) then
    insert into tenuto.loop_leases (loop, dispatcher_id, expires_at)
    select n.loop, p_dispatcher_id, tenuto.now() + p_lease
    from unnest(p_loops) n(loop)
    order by n.loop
    on conflict (loop) do update
      set dispatcher_id = excluded.dispatcher_id, expires_at = excluded.expires_at
      where loop_leases.dispatcher_id = excluded.dispatcher_id or loop_leases.expires_at < tenuto.now();
  end if;
  return query
  select l.loop
  from tenuto.loop_leases l
  where l.loop = any (p_loops)
    and l.dispatcher_id = p_dispatcher_id
    and l.expires_at >= tenuto.now();
end
$$;
