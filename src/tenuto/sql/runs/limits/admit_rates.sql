-- waiting for a rate -> queued: admits as many tasks as each rate allows, at most p_limit in total. A rate admits its
-- tasks one by one, seconds / size apart. A call that comes late admits at most the tasks of a quarter of a second at
-- once. A rate never admits more tasks than its size within its seconds. Locks the rate's row, and skips a rate that
-- another dispatcher has locked. With p_keys, processes only these rates, even if they are parked.
create or replace function tenuto.admit_rates(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
  set lock_timeout = '1s'
as $$
declare
  v_parked bigint[] := tenuto._parked('admit_rates', p_keys);
  v_rate tenuto.limits;
  v_share tenuto.rate_share;
  v_queued tenuto.queued_task[];
  v_all tenuto.queued_task[] := '{}';
begin
  if p_keys is null then
    perform tenuto._wake_routes(tenuto._try_follow_arrivals());   -- for tasks that have just joined a line
  end if;
  for v_rate in
    select l.*
    from tenuto.limits l
    where l.due_at <= tenuto.now()
      and (p_keys is null or l.id = any (p_keys::bigint[]))
      and l.id <> all (v_parked)
    order by l.due_at, l.id
    limit p_limit
    for no key update skip locked
  loop
    v_share := tenuto._rate_share(v_rate, p_limit - cardinality(v_all));
    with first as materialized (
      select w.id
      from tenuto.waiting_tasks w
      where w.limit_id = v_rate.id and (-w.priority, w.seq) >= (-v_rate.floor_priority, v_rate.floor_seq)
      order by -w.priority, w.seq
      limit v_share.tasks
      for update skip locked
    ), gone as (
      delete from tenuto.waiting_tasks where id = any (array(select id from first)) returning *
    )
    select coalesce(
      array_agg(
        (id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task
        order by priority desc, seq),
      '{}')
    into v_queued from gone;
    perform tenuto._record_admissions(v_rate, v_share, cardinality(v_queued));
    v_all := v_all || v_queued;
    exit when cardinality(v_all) >= p_limit;
  end loop;
  if cardinality(v_all) > 0 then
    perform tenuto._enqueue_ready(v_all);
    perform tenuto._wake_queued(v_all);
  end if;
  return cardinality(v_all);
end
$$;
