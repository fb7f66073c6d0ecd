-- Takes the signal locks of the runs, always in the same order, and holds them until the transaction ends. There are 64
-- locks; the number of a run's lock is the hash of the run's id & 63. Senders share a lock; a task that begins to wait
-- takes it exclusively.
create or replace function tenuto._lock_signals(p_run_ids uuid[], p_shared boolean default false)
  returns void
  language sql
as $$
  select case when p_shared then pg_advisory_xact_lock_shared(l.key) else pg_advisory_xact_lock(l.key) end
  from (
    select distinct hashtextextended('tenuto signal', hashtext(r::text) & 63) as key
    from unnest(p_run_ids) r
    order by 1
    offset 0) l;
$$;
