-- Lists the tables of Tenuto with their sizes: bytes of rows, of indexes and of large values, and estimated live and
-- dead rows. Partitions are counted with their table. Covers all orgs.
create or replace view tenuto.table_sizes
  with (security_invoker = true)
as
select
  s.table_name, s.partitions, s.total_bytes, s.table_bytes, s.index_bytes, s.toast_bytes, s.estimated_rows,
  s.dead_rows, s.last_vacuum
from tenuto._table_sizes() s;
