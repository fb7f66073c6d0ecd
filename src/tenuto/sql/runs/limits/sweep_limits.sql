-- Repairs limits. Deletes slots of tasks that are neither ready nor running nor in line. Creates limits that have no
-- row although tasks are in their line. Resets floors, so that tasks before a floor are found. Fills free slots that
-- neither a start nor a concurrent completion filled, because each left them to the other. Schedules a check of each
-- rate for which tasks wait. Skips rows that another transaction has locked; the next call repairs them. With p_keys,
-- processes only these limits, even if they are parked.
create or replace function tenuto.sweep_limits(p_keys text[] default null)
  returns table (freed bigint, filled bigint)
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_parked bigint[] := tenuto._parked('sweep_limits', p_keys);
  v_limits bigint[];
  v_waiting bigint := 0;
begin
  perform tenuto._try_follow_arrivals();   -- creates limits that are new, so that they are not repaired
  v_limits := array(
    select distinct r.id
    from tenuto._limits_to_repair() r
    where (p_keys is null or r.id = any (p_keys::bigint[])) and r.id <> all (v_parked));
  with leaked as (
    delete from tenuto.limit_slots s
    where s.limit_id = any (v_limits)
      and not exists (select from tenuto.running_tasks r where r.id = s.task_id)
      and not exists (select from tenuto.ready_tasks r where r.id = s.task_id)
      and not exists (select from tenuto.waiting_tasks w where w.id = s.task_id and w.waits_for = 'limit')
    returning 1
  )
  select count(*) into freed from leaked;

  if cardinality(v_limits) > 0 then
    perform tenuto._requeue_for_limits(array(
      select r from unnest(v_limits) r where not exists (select from tenuto.limits l where l.id = r)));
    v_limits := array(
      select l.id
      from tenuto.limits l
      where l.id = any (v_limits)
      order by l.scope, l.id
      for no key update skip locked);
    update tenuto.limits l
    set floor_priority = default, floor_seq = default, floor_slot = default, full_size = null
    where l.id = any (v_limits);
    select count(*) into v_waiting from tenuto.waiting_tasks w where w.limit_id = any (v_limits);
    perform tenuto._schedule_rate_checks(
      array(select id from tenuto.limits where id = any (v_limits) and scope = 'rate'));
    perform tenuto._fill_limits(array(select id from tenuto.limits where id = any (v_limits) and scope <> 'rate'));
    perform tenuto._try_follow_arrivals();
  end if;
  select v_waiting - count(*) into filled from tenuto.waiting_tasks w where w.limit_id = any (v_limits);
  return next;
end
$$;
