-- Returns the time before which no new change can appear. Rows have the time of their statement. So the horizon is not
-- later than the beginning of any transaction that has written and not committed, or of any running statement. A
-- quarter of a second is subtracted for statements that have begun and are not visible yet. A statement that has run
-- for a minute and has written nothing is assumed only to read. If the owner has no right to see what other connections
-- run (pg_read_all_stats), the horizon is not later than one minute ago. p_tables: the tables whose changes the caller
-- reads (null: runs, attempts and workers).
create or replace function tenuto.get_change_horizon(p_tables regclass[] default null)
  returns timestamptz
  language sql
  volatile
  security definer
  set search_path = pg_catalog, pg_temp
as $$
  select least(
    statement_timestamp() - interval '250 milliseconds',
    case when not pg_has_role('tenuto_owner', 'pg_read_all_stats', 'usage')
         then statement_timestamp() - interval '1 minute' end,
    (
      select min(case when w.pid is not null or a.state <> 'active' then a.xact_start else a.query_start end)
      from pg_stat_activity a
      left join (
        select distinct l.pid
        from pg_locks l
        where l.locktype = 'relation'
          and l.mode = 'RowExclusiveLock'
          and l.granted
          and l.database = (select d.oid from pg_database d where d.datname = current_database())
          and l.relation = any (
            coalesce(p_tables, '{tenuto.runs,tenuto.task_attempts,tenuto.workers}'::regclass[]))
      ) w on w.pid = a.pid
      where a.datname = current_database()
        and a.pid <> pg_backend_pid()
        and a.xact_start is not null
        and (
          w.pid is not null
          or (a.backend_type = 'client backend'
              and a.state = 'active'
              and a.query_start > statement_timestamp() - interval '1 minute')
          -- The session may have taken its lock after the locks were read, and have finished its statement already.
          or (a.state = 'idle in transaction' and a.state_change > statement_timestamp() - interval '1 second')
        )
    ))
$$;
