-- Returns which of the first p_places orgs and destinations with pending effects have due effects. room: how many more
-- effects of the destination may be in progress. The maximum is 8 per destination and 16 per org, so that slow
-- receivers of one org do not delay other orgs; it is p_limit for effects without a destination. The search starts at a
-- random org, so that p_places does not exclude the same orgs every time. Org ids begin with a time of 48 bits, so the
-- random point is chosen between the times in the lowest and the highest id.
create or replace function tenuto._pending_destinations(p_places int, p_limit int)
  returns table (org_id uuid, destination text, room int)
  language plpgsql
as $$
declare
  v_first uuid := (select o.org_id from tenuto.outbox o where o.status = 'pending' order by o.org_id limit 1);
  v_last uuid := (select o.org_id from tenuto.outbox o where o.status = 'pending' order by o.org_id desc limit 1);
  v_low bigint := ('x' || left(replace(v_first::text, '-', ''), 12))::bit(48)::bigint;
  v_high bigint := ('x' || left(replace(v_last::text, '-', ''), 12))::bit(48)::bigint;
  v_point bigint := v_low + floor(random() * (v_high - v_low + 1))::bigint;
  v_start uuid := greatest(v_first, (lpad(to_hex(v_point), 12, '0') || repeat('0', 20))::uuid);
begin
  return query
  with recursive found as (
    (select o.org_id, o.destination, 1 as no, false as wrapped
     from tenuto.outbox o
     where o.status = 'pending' and o.org_id >= v_start
     order by o.org_id, o.destination
     limit 1)
    union all
    select n.org_id, n.destination, f.no + 1, n.wrapped
    from found f
    cross join lateral (
      (select o.org_id, o.destination, f.wrapped
       from tenuto.outbox o
       where o.status = 'pending' and (o.org_id, o.destination) > (f.org_id, f.destination)
         and (not f.wrapped or o.org_id < v_start)
       order by o.org_id, o.destination
       limit 1)
      union all
      (select o.org_id, o.destination, true
       from tenuto.outbox o
       where o.status = 'pending' and not f.wrapped and o.org_id < v_start
       order by o.org_id, o.destination
       limit 1)
      limit 1
    ) n
    where f.no < p_places
  ), due as (
    select f.org_id, f.destination, p.here, (16 - p.in_org)::int as free,
           count(*) over org as places, row_number() over (org order by random()) as place
    from found f
    cross join lateral (
      select count(*) filter (where o.destination = f.destination) as here, count(*) as in_org
      from tenuto.outbox o
      where o.status = 'processing' and o.org_id = f.org_id and o.destination <> ''
    ) p
    where p.here < 8 and exists (
      select from tenuto.outbox o
      where o.status = 'pending' and o.org_id = f.org_id and o.destination = f.destination
        and o.available_at <= tenuto.now())
    window org as (partition by f.org_id, f.destination = '')
  )
  select d.org_id, d.destination,
         case when d.destination = '' then p_limit
              -- 16 free places for 3 destinations: 6, 5 and 5.
              else greatest(0, least(8 - d.here, d.free / d.places + (d.place <= d.free % d.places)::int))::int end
  from due d;
end
$$;
