-- Returns the rows of table_sizes. It is a function, because a migration locks all views together with the tables that
-- they read, and tables of the catalog cannot be locked.
create or replace function tenuto._table_sizes()
  returns table (
    table_name text, partitions bigint, total_bytes bigint, table_bytes bigint, index_bytes bigint, toast_bytes bigint,
    estimated_rows bigint, dead_rows bigint, last_vacuum timestamptz)
  language sql
  stable
as $$
  select
    coalesce(p.relname, c.relname)::text as table_name,
    count(i.inhrelid) as partitions,
    sum(pg_total_relation_size(c.oid))::bigint as total_bytes,
    sum(pg_relation_size(c.oid))::bigint as table_bytes,
    sum(pg_indexes_size(c.oid))::bigint as index_bytes,
    sum(coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0))::bigint as toast_bytes,
    sum(greatest(c.reltuples, 0))::bigint as estimated_rows,
    sum(pg_stat_get_dead_tuples(c.oid))::bigint as dead_rows,
    max(greatest(pg_stat_get_last_vacuum_time(c.oid), pg_stat_get_last_autovacuum_time(c.oid))) as last_vacuum
  from pg_class c
  left join pg_inherits i on i.inhrelid = c.oid
  left join pg_class p on p.oid = i.inhparent
  where c.relnamespace = 'tenuto'::regnamespace
    and c.relkind = 'r'
  group by 1;
$$;
