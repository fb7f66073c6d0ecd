-- Returns the weeks that have partitions: the name, the range of ids and the end of each week.
create or replace function tenuto._weeks()
  returns table (name text, from_id uuid, to_id uuid, ends_at timestamptz)
  language sql
  stable
as $$
  select w.name, tenuto._uuid7_floor(w.starts_at), tenuto._uuid7_floor(w.starts_at + interval '1 week'),
         w.starts_at + interval '1 week'
  from (
    select distinct n.name, to_date(n.name, 'IYYY_"w"IW')::timestamp at time zone 'UTC' as starts_at
    from tenuto.partitioned_tables t
    join pg_inherits i on i.inhparent = to_regclass(format('tenuto.%I', t.table_name))
    join pg_class c on c.oid = i.inhrelid
    cross join lateral (select substring(c.relname from '\d{4}_w\d{2}$') as name) n
    where n.name is not null
  ) w;
$$;
