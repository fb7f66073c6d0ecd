-- Lists the indexes of Tenuto, and how often they were used since statistics began. Indexes of partitions are counted
-- with the index of their table. Covers all orgs.
create or replace view tenuto.index_usage
  with (security_invoker = true)
as
select
  u.table_name, u.index_name, u.is_unique, u.partitions, u.scans, u.rows_read, u.rows_fetched, u.index_bytes
from tenuto._index_usage() u;
