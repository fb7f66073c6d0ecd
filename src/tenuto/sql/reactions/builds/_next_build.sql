-- Returns when the first build with work that is not parked is due; null if none is.
create or replace function tenuto._next_build()
  returns timestamptz
  language sql
  stable
  set enable_seqscan = off
return (
  select b.due_at
  from tenuto.builds b
  where b.due_at is not null
    and exists (
      select from tenuto._build_work(b) w
      where not exists (select from tenuto.parked_rows p where p.loop = 'advance_builds' and p.key = w.key))
  order by b.due_at
  limit 1);
