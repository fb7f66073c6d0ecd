-- Returns the due rows of a loop, for _due_rows. p_loop is the loop of backfills, of invalidations or of alert
-- rules, prune_history or emit_running. Raises TN003 for an unknown loop.
create or replace function tenuto._due_repair_rows(p_loop text)
  returns table (key text, org_id uuid, run_id uuid, task_id uuid, since timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
begin
  case p_loop
  when 'advance_backfills' then
    return query
    select b.id::text, b.org_id, null::uuid, null::uuid, b.due_at
    from tenuto.backfills b
    where b.due_at <= tenuto.now()
    limit 100000;
  when 'advance_invalidations' then
    return query
    select i.id::text, i.org_id, null::uuid, null::uuid, i.due_at
    from tenuto.data_invalidations i
    where i.due_at <= tenuto.now()
    limit 100000;
  when 'evaluate_alerts' then
    return query
    select r.org_id || ':' || r.name, r.org_id, null::uuid, null::uuid, r.due_at
    from tenuto.alert_rules r
    where r.due_at <= tenuto.now()
    limit 100000;
  when 'prune_history' then
    return query
    select h.key, h.org_id, null::uuid, null::uuid, h.ended_at
    from tenuto._old_history(100000) h
    limit 100000;
  when 'emit_running' then
    return query
    select r.id::text, r.org_id, r.run_id, r.id, r.started_at
    from tenuto.running_tasks r
    cross join lateral tenuto._unemitted(r.org_id, r.id, r.attempt, r.started_at) u
    where tenuto._is_job_task(r.flags) and tenuto._emits_lineage(r.org_id)
    limit 100000;
  else
    perform tenuto._raise('TN003', format('loop %s does not process rows one by one', p_loop));
  end case;
end
$$;
