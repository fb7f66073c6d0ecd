-- Returns the due rows of a sweep, for _due_rows: what it finds at its current position. p_loop is sweep_tasks,
-- sweep_runs, sweep_jobs, or a loop of _due_repair_rows.
create or replace function tenuto._due_sweep_rows(p_loop text)
  returns table (key text, org_id uuid, run_id uuid, task_id uuid, since timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
begin
  case p_loop
  when 'sweep_tasks' then
    return query
    select p.id::text, p.org_id, p.run_id, p.id, null::timestamptz
    from tenuto._stranded_pending(tenuto._pending_page(1000)) p
    union all
    select w.id::text, w.org_id, w.run_id, w.id, w.waiting_at
    from tenuto._stranded_waits(tenuto._waiting_page(1000)) w;
  when 'sweep_runs' then
    return query
    select r.id::text, r.org_id, r.id, null::uuid, r.created_at
    from tenuto._stranded_runs(tenuto._open_page(1000)) r;
  when 'sweep_jobs' then
    return query select j.key, j.org_id, null::uuid, null::uuid, null::timestamptz from tenuto._stranded_jobs() j;
  else
    return query select d.* from tenuto._due_repair_rows(p_loop) d;
  end case;
end
$$;
