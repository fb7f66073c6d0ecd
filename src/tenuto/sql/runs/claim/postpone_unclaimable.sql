-- queued -> queued, but not claimable before p_pause has passed. Postpones tasks whose claim raises an error, for
-- example because one of their rows is damaged, so that they do not block the tasks behind them in their lanes. Called
-- after a claim that raised an error. Tries to claim the first p_limit tasks of each lane one by one, and undoes every
-- try. If a task cannot even be removed from its lane, claims begin after it (_pass_over). Returns the tasks whose
-- claim raises an error, with the error.
create or replace function tenuto.postpone_unclaimable(
  p_session_id bigint, p_token uuid, p_routes int[], p_limit int, p_pause interval default '1 minute')
  returns table (task_id uuid, org_id uuid, run_id uuid, error text)
  language plpgsql
as $$
#variable_conflict use_column
declare
  v_ready record;
  v_claimable boolean;
  v_freed uuid[] := '{}';
begin
  perform tenuto._require_read_committed();
  if not tenuto._session_can_claim(p_session_id, p_token) then
    return;
  end if;
  perform tenuto._wake_routes(tenuto._try_follow_arrivals());   -- again, because the failed claim was rolled back
  for v_ready in
    select q.*
    from tenuto.ready_lanes l
    cross join lateral (
      select q.ctid as tid, q.*
      from tenuto.ready_tasks q
      where q.route_id = l.route_id and q.group_no = l.group_no and q.priority = l.priority and q.seq >= l.floor
      order by q.seq
      limit p_limit
      for update skip locked
    ) q
    where l.route_id = any (p_routes)
    limit 20000
  loop
    v_claimable := false;
    begin
      perform tenuto._take_one(p_session_id, 0, v_ready.tid, v_ready.id, false, 33554432);
      v_claimable := true;
      raise exception 'undo';
    exception when others then
      continue when v_claimable;
      if left(sqlstate, 2) in ('40', '53', '55', '57', '58') then   -- an error that this task has not caused
        raise;
      end if;
      error := sqlerrm;
    end;

    begin
      delete from tenuto.ready_tasks where ctid = v_ready.tid;
    exception when others then
      if left(sqlstate, 2) in ('40', '53', '55', '57', '58') then
        raise;
      end if;
      perform tenuto._pass_over(v_ready.route_id, v_ready.group_no, v_ready.priority, v_ready.seq);
      task_id := v_ready.id;
      org_id := v_ready.org_id;
      run_id := v_ready.run_id;
      return next;
      continue;
    end;
    insert into tenuto.delayed_tasks
      (available_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags, reason)
    values (tenuto.now() + p_pause, v_ready.id, v_ready.org_id, v_ready.run_id, v_ready.route_id, v_ready.group_no,
      v_ready.priority, v_ready.attempt, v_ready.flags, 'snooze');
    if tenuto._has_limits(v_ready.flags) then
      v_freed := v_freed || v_ready.id;
    end if;
    task_id := v_ready.id;
    org_id := v_ready.org_id;
    run_id := v_ready.run_id;
    return next;
  end loop;
  perform tenuto._make_ready(null, v_freed);
end
$$;
