-- Returns the rows of index_usage. It is a function for the same reason as _table_sizes.
create or replace function tenuto._index_usage()
  returns table (
    table_name text, index_name text, is_unique boolean, partitions bigint, scans bigint, rows_read bigint,
    rows_fetched bigint, index_bytes bigint)
  language sql
  stable
as $$
  select
    coalesce(pt.relname, t.relname)::text as table_name, coalesce(pi.relname, i.relname)::text as index_name,
    bool_or(x.indisunique) as is_unique, count(h.inhrelid) as partitions,
    sum(pg_stat_get_numscans(i.oid))::bigint as scans,
    sum(pg_stat_get_tuples_returned(i.oid))::bigint as rows_read,
    sum(pg_stat_get_tuples_fetched(i.oid))::bigint as rows_fetched,
    sum(pg_relation_size(i.oid))::bigint as index_bytes
  from pg_index x
  join pg_class i on i.oid = x.indexrelid and i.relkind = 'i'
  join pg_class t on t.oid = x.indrelid
  left join pg_inherits h on h.inhrelid = i.oid
  left join pg_class pi on pi.oid = h.inhparent
  left join pg_inherits ht on ht.inhrelid = t.oid
  left join pg_class pt on pt.oid = ht.inhparent
  where t.relnamespace = 'tenuto'::regnamespace
  group by 1, 2;
$$;
