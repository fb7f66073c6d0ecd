-- Returns how many rows each loop has parked, in all orgs that the caller can see.
create or replace function tenuto.count_parked()
  returns table (loop text, parked bigint)
  language sql
  stable
as $$
  select p.loop, count(*) from tenuto.parked_rows p group by p.loop order by p.loop;
$$;
