-- Returns the 100 statements of this database that took the most time, from the extension pg_stat_statements. Returns
-- no rows if the extension is not installed. A caller without pg_read_all_stats sees only the texts of its own
-- statements.
create or replace function tenuto._slow_queries()
  returns table (
    query text, calls bigint, total_seconds float8, mean_ms float8, max_ms float8, rows bigint, buffers_hit bigint,
    buffers_read bigint)
  language plpgsql
  stable
as $$
declare
  v_schema text := (
    select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'pg_stat_statements');
begin
  if v_schema is not null and current_setting('shared_preload_libraries') like '%pg_stat_statements%' then
    return query execute format(
      'select s.query, s.calls, s.total_exec_time / 1000, s.mean_exec_time, s.max_exec_time, s.rows, '
      's.shared_blks_hit, s.shared_blks_read from %I.pg_stat_statements s '
      'where s.dbid = (select d.oid from pg_database d where d.datname = current_database()) '
      'order by s.total_exec_time desc limit 100', v_schema);
  end if;
end
$$;
