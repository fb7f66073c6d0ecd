-- Returns when the first invalidation that is not parked is due; null if none is.
create or replace function tenuto._next_invalidation()
  returns timestamptz
  language sql
  stable
  set enable_seqscan = off
return (
  select i.due_at
  from tenuto.data_invalidations i
  where i.due_at is not null
    and not exists (select from tenuto.parked_rows p where p.loop = 'advance_invalidations' and p.key = i.id::text)
  order by i.due_at
  limit 1);
