-- Every row that a loop has work on, parked or not. Each branch says what the function of the loop asks for too.
create or replace function tenuto._due_rows(p_loop text)
  returns table (key text, org_id uuid, run_id uuid, task_id uuid, since timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
begin
  case p_loop
  when 'promote_due' then
    return query
    select d.id::text, d.org_id, d.run_id, d.id, d.available_at
    from tenuto.delayed_tasks d
    where d.available_at <= tenuto.now()
    order by d.available_at;
  when 'settle_runs' then
    return query
    select r.id::text, r.org_id, r.id, null::uuid, r.created_at
    from tenuto.runs r
    where r.status in ('pending', 'running', 'retrying') and (r.handlers > 0 or r.max_attempts > 1)
      and r.total = r.completed + r.failed + r.cancelled + r.skipped + r.handlers
      and (r.next_retry_at is null or r.next_retry_at <= tenuto.now() or r.cancel_requested_at is not null);
  else
    perform tenuto._raise('TN003', format('no loop %s whose rows could be picked', p_loop));
  end case;
end
$$;
