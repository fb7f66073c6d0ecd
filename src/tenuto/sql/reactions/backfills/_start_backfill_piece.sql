-- -> queued: starts the next tasks of a backfill: as many as its concurrency allows, for at most 1,000 partitions. The
-- tasks and the position are committed together, so that a backfill that was interrupted continues after the last
-- partition that was processed. If the job can never run again, the backfill fails. Returns the changed row.
create or replace function tenuto._start_backfill_piece(p_backfill tenuto.backfills)
  returns tenuto.backfills
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_target record := tenuto._backfill_target(p_backfill);
  v_room bigint := p_backfill.concurrency - (p_backfill.started - p_backfill.completed - p_backfill.failed);
  v_keys text[] := '{}';
  v_chosen text[];
  v_started tenuto.started[];
  v_piece record;
  v_backfill tenuto.backfills;
begin
  if v_target.problem is null and not pg_try_advisory_xact_lock_shared(tenuto._dag_lock(v_target.dag_id)) then
    v_target.problem := format('DAG %s is being changed', v_target.dag);
  end if;
  if v_target.problem is null and v_room > 0 then
    v_keys := tenuto._backfill_keys(p_backfill, 1000);
  end if;
  -- Stops before the first partition that would exceed the concurrency.
  select count(*) as looked_at, count(*) filter (where c.choice = 'skip') as skipped,
         array_agg(c.key order by c.no) filter (where c.choice = 'start') as keys,
         array_agg(c.task_id order by c.no) filter (where c.choice = 'wait') as task_ids,
         (array_agg(c.key order by c.no desc))[1] as last
  into v_piece
  from (
    select c.*, count(*) filter (where c.choice <> 'skip') over (order by c.no) as used
    from tenuto._choose_partitions(v_target.job, v_target.version_id, p_backfill.reprocess, v_keys) c) c
  where c.used <= v_room;

  v_chosen := array(select distinct k from unnest(v_piece.keys) k order by k);
  if v_chosen <> '{}' then
    v_started := tenuto._queue_partitions(p_backfill.org_id, v_target.job, v_chosen);
    perform tenuto._start_job_tasks(p_backfill.org_id, v_target.dag, v_target.version, v_target.job,
      array_agg(s.run_id order by s.no), array_agg(v_chosen[s.no] order by s.no), false,
      p_memo => p_backfill.reprocess <> 'all')
    from unnest(v_started) s
    where s.created
    having count(*) > 0;
  end if;
  insert into tenuto.repair_tasks (repair_id, task_id, org_id, job_key, partition_key, direct, owned, downstream)
  select p_backfill.id, s.task_id, p_backfill.org_id, p_backfill.job_key, j.partition_key, true, s.owned,
         case when s.owned then p_backfill.downstream else 'all' end
  from (
    select t.run_id as task_id, t.created as owned from unnest(v_started) t
    union all
    select t, false from unnest(v_piece.task_ids) t) s
  join tenuto.job_tasks j on j.task_id = s.task_id
  on conflict do nothing;

  update tenuto.backfills b
  set planned = b.planned + v_piece.looked_at,
      skipped = b.skipped + v_piece.skipped,
      started = b.started + cardinality(v_chosen) + coalesce(cardinality(v_piece.task_ids), 0),
      after_key = coalesce(v_piece.last, b.after_key),
      is_planned = v_target.problem is null and v_room > 0 and v_piece.looked_at = cardinality(v_keys)
                   and (v_keys = '{}' or b.keys ->> 'kind' <> 'committed' and b.planned + v_piece.looked_at >= b.total),
      error = case when v_target.is_over or b.failed = 0 then v_target.problem else b.error end,
      status = case when v_target.is_over then 'failed' else b.status end,
      due_at = case when not v_target.is_over then b.due_at end,
      ended_at = case when v_target.is_over then tenuto.now() end,
      moved_at = case when v_piece.looked_at > 0 then tenuto.now() else b.moved_at end
  where b.id = p_backfill.id
  returning b.* into v_backfill;
  return v_backfill;
end
$$;
