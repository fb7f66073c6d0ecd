-- Deletes effects done longer ago than p_keep, at most p_limit per call. p_keys: only these effects, parked or not.
create or replace function tenuto.prune_effects(
  p_keep interval default '24 hours', p_limit int default 10000, p_keys text[] default null)
  returns bigint
  language sql
  set lock_timeout = '1s'
as $$
  with old as materialized (
    select id
    from tenuto.outbox
    where status = 'done' and processed_at < tenuto.now() - p_keep
      and (p_keys is null or id = any (p_keys::bigint[]))
      and id::text <> all (array(select unnest(tenuto._parked('prune_effects', p_keys))))
    order by processed_at
    limit p_limit
    for update skip locked
  ), gone as (
    delete from tenuto.outbox where id in (select id from old) returning 1
  )
  select count(*) from gone;
$$;
