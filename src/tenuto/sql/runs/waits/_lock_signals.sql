-- Takes the signal locks of the runs, in one order, until the transaction ends. A run's lock is one of 64: its hash &
-- 63.
create or replace function tenuto._lock_signals(p_run_ids uuid[])
  returns void
  language sql
as $$
  select pg_advisory_xact_lock(l.key)
  from (
    select distinct hashtextextended('tenuto signal', hashtext(r::text) & 63) as key
    from unnest(p_run_ids) r
    order by 1
    offset 0) l;
$$;
