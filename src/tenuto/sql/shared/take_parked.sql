-- Returns the parked rows that are due for another try and reserves them for one dispatcher until p_lease has passed.
-- Orgs take turns, so that an org with many parked rows does not delay the others.
create or replace function tenuto.take_parked(
  p_loops text[], p_limit int default 100, p_lease interval default '2 minutes')
  returns setof tenuto.parked_rows
  language sql
as $$
  with due as materialized (
    select p.loop, p.key, row_number() over (partition by p.org_id order by p.retry_at, p.key) as turn, p.retry_at
    from (
      select p.loop, p.key, p.org_id, p.retry_at
      from tenuto.parked_rows p
      where p.retry_at <= tenuto.now()
        and p.loop = any (p_loops)
        and (p.taken_until is null or p.taken_until < tenuto.now())
      limit 100000) p
  ), first as materialized (
    select p.loop, p.key
    from (select d.* from due d order by d.turn, d.retry_at limit p_limit) d
    join tenuto.parked_rows p on p.loop = d.loop and p.key = d.key
    for update of p skip locked
  )
  update tenuto.parked_rows p
  set taken_until = tenuto.now() + p_lease
  from first f
  where p.loop = f.loop
    and p.key = f.key
    and p.retry_at <= tenuto.now()
    and (p.taken_until is null or p.taken_until < tenuto.now())
  returning p.*;
$$;
