-- Returns the parked rows that are due for another try and reserves them for the calling dispatcher until p_lease has
-- passed. Orgs take turns. Of the rows of an org, those that have been due for the longest time come first. At most
-- p_limit rows per org are read, and with more than ten orgs at most ten times p_limit in all, so an org with many
-- parked rows does not delay other orgs. Rows that belong to no org count as one more org. Locks the rows as it reads
-- them: rows that another transaction has locked count for no limit.
create or replace function tenuto.take_parked(
  p_loops text[], p_limit int default 100, p_lease interval default '2 minutes')
  returns setof tenuto.parked_rows
  language sql
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
  with recursive orgs(id) as (   -- one index lookup per org
    (select coalesce(p.org_id, '00000000-0000-0000-0000-000000000000') as id
     from tenuto.parked_rows p
     order by 1
     limit 1)
    union all
    select n.id
    from orgs o
    cross join lateral (
      select coalesce(p.org_id, '00000000-0000-0000-0000-000000000000') as id
      from tenuto.parked_rows p
      where coalesce(p.org_id, '00000000-0000-0000-0000-000000000000') > o.id
      order by 1
      limit 1) n
  ), due as materialized (
    select p.loop, p.key, p.retry_at, row_number() over (partition by o.id order by p.retry_at, p.key) as turn
    from orgs o
    cross join lateral (
      select p.loop, p.key, p.retry_at
      from tenuto.parked_rows p
      where coalesce(p.org_id, '00000000-0000-0000-0000-000000000000') = o.id
        and p.retry_at <= tenuto.now()
        and p.loop = any (p_loops)
        and (p.taken_until is null or p.taken_until < tenuto.now())
      order by p.retry_at, p.key
      limit least(p_limit, greatest(1, 10 * p_limit / (select count(*) from orgs)))
      for update skip locked) p
  ), first as materialized (
    select d.loop, d.key from due d order by d.turn, d.retry_at limit p_limit
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
