-- pending -> queued, for the held tasks of runs that were released, at most p_limit tasks. The held tasks of a run that
-- was cancelled meanwhile are not started: the cancel ends them. sweep_released starts the rest: further tasks of a
-- large run, and tasks that another transaction is adding now. Returns how many tasks were started, plus how many runs
-- are no longer held.
create or replace function tenuto._end_hold(p_run_ids uuid[], p_limit int default 10000)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_free uuid[] := array(   -- runs to which no transaction is adding tasks now
    select h.run_id
    from tenuto.held_runs h
    where h.run_id = any (p_run_ids)
      and exists (select from tenuto.release_requests q where q.run_id = h.run_id and q.org_id = h.org_id)
    order by h.run_id
    for update skip locked);
  v_ids uuid[];
  v_queued tenuto.queued_task[];
  v_ended bigint := 0;
begin
  -- A new statement, which sees every task that was added before the locks.
  v_ids := array(
    select p.id
    from unnest(p_run_ids) i(run_id)
    join tenuto.release_requests q on q.run_id = i.run_id
    join tenuto.runs r on r.id = q.run_id and r.org_id = q.org_id and r.cancel_requested_at is null
    cross join lateral (
      select p.id from tenuto.pending_tasks p where p.run_id = r.id and p.held order by p.id limit p_limit) p
    limit p_limit);
  if cardinality(v_ids) > 0 then
    v_queued := tenuto._count_down(v_ids, array_fill(1, array[cardinality(v_ids)]));
  end if;
  if cardinality(v_ids) < p_limit then
    delete from tenuto.held_runs h where h.run_id = any (v_free);
    get diagnostics v_ended = row_count;
    delete from tenuto.release_requests q
    where q.run_id = any (p_run_ids) and not exists (select from tenuto.held_runs h where h.run_id = q.run_id);
  end if;
  if v_queued is not null then
    perform tenuto._make_ready(v_queued);
    perform tenuto._wake_queued(v_queued);
  end if;
  return cardinality(v_ids) + v_ended;
end
$$;
