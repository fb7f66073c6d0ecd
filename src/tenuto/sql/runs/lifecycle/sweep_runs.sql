-- running -> completed | failed | cancelled, for runs whose tasks have all ended and are counted: fold_runs checks them
-- once more. Also requests the cancel again of cancelled runs that still have tasks although no request is left. The
-- transaction that ended the last task, or cancelled the run, leads to the same; this sweep finds runs that it has
-- missed. Looks at up to p_limit open runs per call, and continues behind them in the next call. Returns how many runs
-- it found. With p_keys, processes only these runs, even if they are parked.
create or replace function tenuto.sweep_runs(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_parked uuid[] := tenuto._parked('sweep_runs', p_keys);
  v_page uuid[] := coalesce(p_keys::uuid[], tenuto._open_page(p_limit));
  v_found tenuto.runs[] := array(select r from tenuto._stranded_runs(v_page) r where r.id <> all (v_parked));
  v_cancelled uuid[];
begin
  insert into tenuto.run_counts (run_id, org_id)
  select r.id, r.org_id
  from unnest(v_found) r
  where r.total = r.completed + r.failed + r.cancelled + r.skipped;

  with cancelled as (
    insert into tenuto.cancel_requests (id, scope, org_id, requested_at, reason)
    select r.id, 'run', r.org_id, tenuto.now(), r.cancel_reason
    from unnest(v_found) r
    where r.total <> r.completed + r.failed + r.cancelled + r.skipped
    order by r.id
    on conflict do nothing
    returning id
  )
  select array_agg(c.id) into v_cancelled from cancelled c;
  perform tenuto._close_cancelled(v_cancelled);
  if p_keys is null then
    perform tenuto._move_sweep('runs', v_page, p_limit);
  end if;
  return cardinality(v_found);
end
$$;
