-- Lists the statements that took the most time in this database, if the extension pg_stat_statements is installed.
create or replace view tenuto.slow_queries
  with (security_invoker = true)
as
select s.query, s.calls, s.total_seconds, s.mean_ms, s.max_ms, s.rows, s.buffers_hit, s.buffers_read
from tenuto._slow_queries() s;
