-- running -> completed | failed, when all partitions are processed and all tasks that the backfill waits for have
-- ended. cancelling -> cancelled, when the tasks that belong to the backfill alone (owned) have ended. Until then,
-- counts the tasks that have ended. A running backfill also starts its next tasks. A backfill that is being cancelled
-- cancels its tasks. The backfill is due again after 0.1 to 5 seconds: the longer nothing has changed, the later.
create or replace function tenuto._advance_backfill(p_backfill tenuto.backfills)
  returns void
  language plpgsql
as $$
declare
  v_backfill tenuto.backfills;
  v_ends record;
  v_is_open boolean;
  v_status text;
begin
  if p_backfill.status = 'cancelling' then
    perform tenuto._cancel_repair(p_backfill.org_id, p_backfill.id, 'the backfill was cancelled');
  end if;
  v_ends := tenuto._take_repair_ends(p_backfill.org_id, p_backfill.id, p_backfill.after_task, 1000);
  update tenuto.backfills b
  set completed = b.completed + v_ends.completed,
      failed = b.failed + v_ends.failed,
      downstream_completed = b.downstream_completed + v_ends.downstream_completed,
      downstream_failed = b.downstream_failed + v_ends.downstream_failed,
      error = coalesce(case when b.failed + b.downstream_failed > 0 then b.error end, v_ends.error, b.error),
      after_task = v_ends.last,
      moved_at = case when v_ends.ends <> '[]' then tenuto.now() else b.moved_at end
  where b.id = p_backfill.id
  returning b.* into v_backfill;
  if v_backfill.status = 'running' and not v_backfill.is_planned then
    v_backfill := tenuto._start_backfill_piece(v_backfill);
  end if;
  if v_backfill.ended_at is not null then
    return;
  end if;

  v_is_open := exists (
    select from tenuto.repair_tasks t
    where t.repair_id = p_backfill.id and not t.failed and (t.owned or v_backfill.status <> 'cancelling'));
  v_status := case
    when v_is_open or not v_backfill.is_planned and v_backfill.status <> 'cancelling' then v_backfill.status
    when v_backfill.status = 'cancelling' then 'cancelled'
    when v_backfill.failed + v_backfill.downstream_failed > 0 then 'failed'
    else 'completed' end;
  v_is_open := v_status in ('running', 'paused', 'cancelling');
  update tenuto.backfills b
  set status = v_status,
      total = case when b.is_planned then b.planned else b.total end,
      error = case when v_status <> 'completed' then b.error end,
      due_at = case when v_is_open then tenuto.now()
                 + least(greatest((tenuto.now() - b.moved_at) / 4, interval '0.1 seconds'), interval '5 seconds') end,
      ended_at = case when not v_is_open then tenuto.now() end
  where b.id = p_backfill.id;
end
$$;
