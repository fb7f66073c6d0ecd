-- Deletes effects done longer ago than p_keep, at most p_limit a call.
create or replace function tenuto.prune_effects(p_keep interval default '24 hours', p_limit int default 10000)
  returns bigint
  language sql
as $$
  with old as materialized (
    select id
    from tenuto.outbox
    where status = 'done' and processed_at < tenuto.now() - p_keep
    order by processed_at
    limit p_limit
    for update skip locked
  ), gone as (
    delete from tenuto.outbox where id in (select id from old) returning 1
  )
  select count(*) from gone;
$$;
