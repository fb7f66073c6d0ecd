-- Returns those of the waiting tasks for which nothing is left to wait: all children that they await have ended, or
-- their signal was sent and not taken. The transaction in which the last child ended, or the signal was sent, should
-- have moved such a task. Reads one task after the other by index.
create or replace function tenuto._stranded_waits(p_ids uuid[])
  returns setof tenuto.waiting_tasks
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
  select w.*
  from unnest(p_ids) i(id)
  cross join lateral (select w.* from tenuto.waiting_tasks w where w.id = i.id limit 1) w
  left join lateral (
    select true as open
    from tenuto.awaited_tasks c
    left join lateral (
      select a.end_no from tenuto.task_attempts a where a.task_id = c.id and a.end_no = 0 limit 1) a on true
    where c.parent_id = w.id and a.end_no is null
    limit 1) c on w.waits_for = 'children'
  left join lateral (
    select true as sent
    from tenuto.signals s
    where s.run_id = w.run_id and s.name = w.signal and s.taken_by is null
    limit 1) s on w.waits_for = 'signal'
  where w.waits_for = 'children' and c.open is null or s.sent;
$$;
