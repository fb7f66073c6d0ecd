-- Returns when the next piece of a build is due, except parked ones; null if none is.
create or replace function tenuto._next_build()
  returns timestamptz
  language sql
  stable
  set enable_seqscan = off
return (
  select b.due_at
  from tenuto.builds b
  where b.due_at is not null
    and not exists (
      select from tenuto.parked_rows p where p.loop = 'advance_builds' and p.key = b.dag_version_id::text)
  order by b.due_at
  limit 1);
