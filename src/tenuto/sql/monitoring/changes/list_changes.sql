-- Returns the changes of an org after a position, in order: runs that were created or ended, attempts that ended,
-- workers that registered, drained or terminated. A position is a time, an id and a number. p_until: the result of an
-- earlier call of get_change_horizon, so that no change before this time can appear later. Changes older than 30 days
-- are not returned.
create or replace function tenuto.list_changes(
  p_org_id uuid, p_after timestamptz, p_until timestamptz, p_after_id text default '', p_after_no int default -1,
  p_limit int default 200)
  returns table (at timestamptz, id text, no int, kind text, status text, run_id uuid)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
  set enable_seqscan = off
  set max_parallel_workers_per_gather = 0
as $$
declare
  v_from timestamptz := greatest(p_after, p_until - interval '30 days');
  v_to timestamptz;
  v_step interval := '1 second';   -- short, as a step is sorted as a whole; doubles while there are no changes
  v_count int;
begin
  if p_limit not between 1 and 1000 then
    perform tenuto._raise('TN003', format('limit %s is not between 1 and 1000 changes', p_limit),
      'to get the next changes, pass the position of the last one');
  end if;
  while v_from < p_until and p_limit > 0
  loop
    v_to := least(v_from + v_step, p_until);
    return query
    select c.at, c.id, c.no, c.kind, c.status, coalesce(t.run_id, c.run)
    from (
      select u.*
      from (
        select r.created_at as at, r.id::text collate "C" as id, 0 as no, 'run' as kind, 'pending' as status,
               r.id as run
        from tenuto.runs r
        where r.org_id = p_org_id and r.created_at >= v_from and r.created_at < v_to
        union all
        select r.completed_at, r.id::text collate "C", 2147483647, 'run', r.status, r.id
        from tenuto.runs r
        where r.org_id = p_org_id and r.completed_at >= v_from and r.completed_at < v_to
        union all
        select a.ended_at, a.task_id::text collate "C", 2 * a.attempt + (a.end_no = 0)::int, 'task', a.outcome,
               a.task_id
        from tenuto.task_attempts a
        where a.org_id = p_org_id and a.ended_at >= v_from and a.ended_at < v_to
        union all   -- a single-task run ends with its task
        select a.ended_at, a.task_id::text collate "C", 2147483647, 'run', a.outcome, a.task_id
        from tenuto.task_attempts a
        join tenuto.runs r on r.id = a.task_id and r.single_task
        where a.org_id = p_org_id and a.ended_at >= v_from and a.ended_at < v_to and a.end_no = 0
        union all
        select s.at, w.id collate "C", s.no, 'worker', s.status, null
        from tenuto.workers w
        cross join lateral (
          values (w.created_at, 0, 'active'), (w.drained_at, 1, 'draining'), (w.terminated_at, 2, 'terminated')
        ) s(at, no, status)
        where w.org_id = p_org_id and s.at >= v_from and s.at < v_to
      ) u
      where (u.at, u.id, u.no) > (p_after, p_after_id collate "C", p_after_no)
      order by u.at, u.id, u.no
      limit p_limit
    ) c
    left join tenuto.tasks t on c.kind = 'task' and t.id = c.run
    order by c.at, c.id, c.no;
    get diagnostics v_count = row_count;
    p_limit := p_limit - v_count;
    v_step := case when v_count = 0 then least(v_step * 2, interval '4 hours') else interval '1 second' end;
    v_from := v_to;
  end loop;
end
$$;
