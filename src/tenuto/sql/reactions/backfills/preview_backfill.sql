-- Returns what a backfill with these options would do now, without starting it: how many partitions it has, and for how
-- many of them it would start a task, wait for a task that has not ended, or do nothing. Checks 10,000 partitions at a
-- time, so that not all keys are in memory at once.
create or replace function tenuto.preview_backfill(
  p_org_id uuid, p_dataset text, p_first text default null, p_last text default null, p_partitions text[] default null,
  p_reprocess text default 'none', p_downstream text default 'all', p_concurrency int default 100,
  p_descending boolean default false, p_reason text default null)
  returns table (total bigint, starts bigint, waits bigint, skips bigint)
  language plpgsql
  stable
as $$
declare
  v_backfill tenuto.backfills := tenuto._describe_backfill(p_org_id, p_dataset, p_first, p_last, p_partitions,
    p_reprocess, p_downstream, p_concurrency, p_descending, p_reason);
  v_target record := tenuto._backfill_target(v_backfill);
  v_keys text[];
  v_piece record;
begin
  total := v_backfill.total;
  starts := 0;
  waits := 0;
  skips := 0;
  if p_reprocess = 'all' then
    starts := total;
    return next;
    return;
  end if;
  loop
    v_keys := tenuto._backfill_keys(v_backfill, 10000);
    exit when v_keys = '{}';
    select count(*) filter (where c.choice = 'start') as starts,
           count(*) filter (where c.choice = 'wait') as waits,
           count(*) filter (where c.choice = 'skip') as skips
    into v_piece
    from tenuto._choose_partitions(v_target.job, v_target.version_id, p_reprocess, v_keys) c;
    starts := starts + v_piece.starts;
    waits := waits + v_piece.waits;
    skips := skips + v_piece.skips;
    v_backfill.planned := v_backfill.planned + cardinality(v_keys);
    v_backfill.after_key := v_keys[cardinality(v_keys)];
  end loop;
  return next;
end
$$;
