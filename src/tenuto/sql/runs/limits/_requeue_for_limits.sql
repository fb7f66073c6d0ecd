-- waiting for a limit without a row -> in line again. prune_limits may have deleted the limit while these tasks joined
-- its line, or while they were in the line of another limit.
create or replace function tenuto._requeue_for_limits(p_lost bigint[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_queued tenuto.queued_task[];
begin
  with lost as materialized (
    select w.id
    from tenuto.waiting_tasks w
    where w.limit_id = any (p_lost)
    order by w.id
    limit 10000
    for update skip locked
  ), gone as (
    delete from tenuto.waiting_tasks w using lost where w.id = lost.id returning w.*
  )
  select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task order by seq)
  into v_queued from gone;
  perform tenuto._make_ready(v_queued);
end
$$;
