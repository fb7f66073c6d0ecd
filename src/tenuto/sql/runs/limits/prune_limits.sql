-- Deletes limits that are not used: no task holds one of their slots or is in their line. Marks such limits as idle
-- first, and deletes them if they are still not used when a later call finds a mark older than p_keep. Only this
-- function writes the marks, so that tasks which use a limit need not update the limit's row. The next task with the
-- limit creates its row again. sweep_limits finds a task that joined the line while the limit was being deleted. A rate
-- is kept until all its admissions are older than its period (column seconds). With p_keys, processes only these
-- limits, even if they are parked.
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
  -- A second statement, so that it sees tasks that took a slot or joined the line before this transaction got the
  -- locks.
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
