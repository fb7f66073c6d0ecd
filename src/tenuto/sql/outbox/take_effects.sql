-- pending -> processing, and processing -> processing where the lease of the last owner has passed. The caller then
-- owns the effect until p_lease has passed. The attempt is counted when the effect is taken, so that an effect that
-- crashes its dispatchers becomes dead too: processing -> dead, when the lease of the 20th attempt has passed. Every
-- destination with due effects gets the same share of p_limit, within its room (_pending_destinations). With p_keys,
-- takes only these effects, even if they are parked. On a copy of the database, takes none.
create or replace function tenuto.take_effects(
  p_owner text, p_kinds text[], p_limit int, p_lease interval, p_keys text[] default null)
  returns setof tenuto.outbox
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_parked bigint[] := tenuto._parked('drain_outbox', p_keys);
  v_places int := p_limit;
begin
  if tenuto._copy_problem() is not null then
    return;
  end if;
  with worn_out as materialized (
    select o.id
    from tenuto.outbox o
    where o.status = 'processing' and o.locked_until < tenuto.now() and o.attempts >= 20
      and (p_keys is null or o.id = any (p_keys::bigint[]))
      and o.id <> all (v_parked)
    order by o.locked_until
    limit 100
    for update skip locked
  )
  update tenuto.outbox o
  set status = 'dead', locked_by = null, locked_until = null,
      last_error = coalesce(o.last_error || '; ', '') || 'taken 20 times without a result'
  from worn_out w
  where o.id = w.id;

  loop
    return query
    with due as materialized (
      select d.id
      from (
        select n.id, n.since
        from (
          select l.org_id, l.destination, l.room, count(*) over () as places
          from tenuto._pending_destinations(v_places, p_limit) l
          where p_keys is null) l
        cross join lateral (
          select o.id, o.available_at as since
          from tenuto.outbox o
          where o.org_id = l.org_id and o.destination = l.destination
            and o.status = 'pending' and o.available_at <= tenuto.now() and o.kind = any (p_kinds)
            and o.id <> all (v_parked)
          order by o.available_at, o.id
          limit least(l.room, (p_limit + l.places - 1) / l.places)
          for update skip locked) n
        union all
        select k.id, k.since
        from (
          select o.id, o.available_at as since
          from tenuto.outbox o
          where o.id = any (p_keys::bigint[])
            and o.status = 'pending' and o.available_at <= tenuto.now() and o.kind = any (p_kinds)
          for update skip locked) k
        union all
        select s.id, s.since
        from (
          select o.id, o.locked_until as since
          from tenuto.outbox o
          where o.status = 'processing' and o.locked_until < tenuto.now() and o.attempts < 20 and o.kind = any (p_kinds)
            and (p_keys is null or o.id = any (p_keys::bigint[]))
            and o.id <> all (v_parked)
          order by o.locked_until
          limit p_limit
          for update skip locked) s
      ) d
      order by d.since, d.id
      limit p_limit
    )
    update tenuto.outbox o
    set status       = 'processing',
        attempts     = o.attempts + 1,
        locked_by    = p_owner,
        locked_until = tenuto.now() + p_lease
    from due
    where o.id = due.id
      and o.status in ('pending', 'processing')
    returning o.*;
    -- If no effect of the first destinations is due and unlocked, looks at more of them. Each call begins at a random
    -- destination, so that repeated calls look at all.
    exit when found or p_keys is not null or v_places > p_limit;
    v_places := 20 * p_limit + 1;
  end loop;
end
$$;
