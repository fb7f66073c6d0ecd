-- Deletes unused limits: no task holds one of their slots or is in their line, neither now nor when they were marked as
-- idle, p_keep ago. This function also marks them, so that using a limit writes nothing. The row returns with the next
-- task that names the limit; a task that joined the line at the same time is found by sweep_limits. A rate stays until
-- its admissions are out of its window. With p_keys, only these limits, even if they are parked.
create or replace function tenuto.prune_limits(
  p_keep interval default '1 day', p_limit int default 1000, p_keys text[] default null)
  returns table (noted bigint, removed bigint)
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set lock_timeout = '1s'
as $$
declare
  v_ids bigint[];
  v_parked bigint[] := tenuto._parked('prune_limits', p_keys);
begin
  v_ids := array(
    select l.id from tenuto.limits l
    where l.idle_since < tenuto.now() - p_keep
      and (p_keys is null or l.id = any (p_keys::bigint[]))
      and l.id <> all (v_parked)
    order by l.idle_since
    limit p_limit
    for update skip locked);
  -- A second statement, so that it sees tasks that took a slot or lined up before this transaction had the locks.
  delete from tenuto.limits l
  where l.id = any (v_ids)
    and not exists (select from tenuto.limit_slots s where s.limit_id = l.id)
    and not exists (select from tenuto.waiting_tasks w where w.limit_id = l.id)
    and not exists (
      select from tenuto.rate_admissions a
      where a.limit_id = l.id and a.admitted_at > tenuto.now() - make_interval(secs => l.seconds));
  get diagnostics removed = row_count;
  update tenuto.limits set idle_since = null where id = any (v_ids);

  with idle as materialized (
    select l.id from tenuto.limits l
    where l.idle_since is null
      and (p_keys is null or l.id = any (p_keys::bigint[]))
      and l.id <> all (v_parked)
      and not exists (select from tenuto.limit_slots s where s.limit_id = l.id)
      and not exists (select from tenuto.waiting_tasks w where w.limit_id = l.id)
    order by l.id
    limit p_limit
    for no key update skip locked
  )
  update tenuto.limits l set idle_since = tenuto.now() from idle where l.id = idle.id;
  get diagnostics noted = row_count;
  return next;
end
$$;
