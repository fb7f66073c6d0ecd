-- Returns when the first backfill that is not parked is due; null if none is.
create or replace function tenuto._next_backfill()
  returns timestamptz
  language sql
  stable
  set enable_seqscan = off
return (
  select b.due_at
  from tenuto.backfills b
  where b.due_at is not null
    and not exists (select from tenuto.parked_rows p where p.loop = 'advance_backfills' and p.key = b.id::text)
  order by b.due_at
  limit 1);
