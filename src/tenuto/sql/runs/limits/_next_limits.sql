-- Returns for each queued task the limit whose slot it needs next. Limits of scope key come first, then queues, then
-- the rate; those of one scope are ordered by id. The limit is null if the task holds slots of all its limits. The
-- limit may have no row yet. Processes many tasks in one call, because separate calls took 1.6 ms per task. Uses
-- lateral joins, so that every lookup uses an index regardless of the statistics.
create or replace function tenuto._next_limits(p_queued tenuto.queued_task[])
  returns table (no bigint, queued tenuto.queued_task, limit_id bigint)
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_bitmapscan = off
  set jit = off
as $$
begin
  return query
  select c.no, (c.id, c.org_id, c.run_id, c.route_id, c.group_no, c.priority, c.attempt, c.flags)::tenuto.queued_task,
         n.limit_id
  from unnest(p_queued) with ordinality as c(id, org_id, run_id, route_id, group_no, priority, attempt, flags, no)
  left join lateral (
    select w.limit_id
    from (select t.limits from tenuto.tasks t where t.id = c.id limit 1) t
    cross join lateral (
      select w.scope, tenuto._limit_id(c.org_id, w.scope, w.key) as limit_id
      from jsonb_to_recordset(t.limits) as w(scope text, key text)
      offset 0   -- computes each id once
    ) w
    -- Searches slots by task, never by limit: a limit can have thousands of slots.
    where w.limit_id <> all (array(select s.limit_id from tenuto.limit_slots s where s.task_id = c.id))
    order by w.scope, w.limit_id
    limit 1
  ) n on true;
end
$$;
