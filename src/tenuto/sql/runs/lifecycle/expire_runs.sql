-- any state that is not final -> cancelled, for runs whose deadline has passed, and for runs that have expired before
-- any of their tasks began. Processes one org and one of the two kinds per call, because all tasks of a cancel have the
-- same reason and are locked in one order (ADR 7). For large runs only the request is recorded, and advance_requests
-- cancels their tasks. Returns how many deadlines were due. With p_keys (kind:run), processes only these deadlines,
-- even if they are parked.
create or replace function tenuto.expire_runs(p_limit int default 100, p_keys text[] default null)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
  set lock_timeout = '1s'
as $$
declare
  v_parked text[] := tenuto._parked('expire_runs', p_keys);
  v_org_id uuid;
  v_kind text;
  v_reason text;
  v_due uuid[];
  v_open uuid[];
  v_small uuid[];
begin
  select d.org_id, d.kind
  into v_org_id, v_kind
  from tenuto.run_deadlines d
  where d.at <= tenuto.now()
    and (p_keys is null or d.kind || ':' || d.run_id = any (p_keys))
    and d.kind || ':' || d.run_id <> all (v_parked)
  order by d.at
  limit 1
  for update skip locked;   -- not of a deadline that another transaction has locked, such as a delete that is not over
  with due as materialized (
    select d.ctid as tid
    from tenuto.run_deadlines d
    where d.at <= tenuto.now()
      and d.org_id = v_org_id
      and d.kind = v_kind
      and (p_keys is null or d.kind || ':' || d.run_id = any (p_keys))
      and d.kind || ':' || d.run_id <> all (v_parked)
    order by d.at
    limit p_limit
    for update skip locked
  ), gone as (
    delete from tenuto.run_deadlines d where d.ctid = any (array(select tid from due)) returning d.run_id
  )
  select array_agg(g.run_id order by g.run_id) into v_due from gone g;
  if v_due is null then
    return 0;
  end if;

  v_reason := case v_kind when 'deadline' then 'the deadline of the run has passed'
                          else 'the run expired before it began' end;
  v_open := array(
    select s.id
    from tenuto.run_status s
    where s.id = any (v_due)
      and (s.status = 'pending' or (v_kind = 'deadline' and s.status in ('running', 'retrying')))
    order by s.id);
  v_small := array(select r.id from tenuto.runs r where r.id = any (v_open) and not tenuto._is_large(r) order by r.id);
  perform tenuto._cancel_run(v_org_id, i, v_reason) from unnest(v_open) i where i <> all (v_small);
  perform tenuto._cancel_now(v_org_id, v_small, 'run', v_reason);
  return cardinality(v_due);
end
$$;
