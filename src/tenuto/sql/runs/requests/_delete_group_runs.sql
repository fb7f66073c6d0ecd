-- Reads the next 10,000 runs and deletes those of a deleted group, at most 1,000 per call. Reads the runs of all
-- groups, because there is no index by group: such an index would make every start slower. Ends the request after the
-- last run. Does not delete runs that have not ended, that a retry is copying, or that another transaction has locked:
-- these are deleted when their retention is over.
create or replace function tenuto._delete_group_runs(p_request tenuto.run_requests)
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_group int := (select g.no from tenuto.resource_groups g where g.id = p_request.run_id);
  v_last uuid;
  v_ids uuid[];
  v_large uuid[];
begin
  with next as materialized (
    select r.id, r.group_no = v_group as own
    from tenuto.runs r
    where r.id > p_request.base_id
    order by r.id
    limit 10000
  ), own as materialized (
    select n.id from next n where n.own order by n.id limit tenuto._request_piece()
  )
  select array(select o.id from own o order by o.id),
         case when (select count(*) from own) = tenuto._request_piece()
              then (select o.id from own o order by o.id desc limit 1)
              else (select n.id from next n order by n.id desc limit 1) end
  into v_ids, v_last;
  if v_last is null then
    delete from tenuto.run_requests where run_id = p_request.run_id and verb = p_request.verb;
    return;
  end if;

  v_ids := array(
    select r.id
    from tenuto.runs r
    where r.id = any (v_ids)
      and (r.completed_at is not null
           or exists (select from tenuto.task_attempts a where r.single_task and a.task_id = r.id and a.end_no = 0))
      and not exists (select from tenuto.run_requests q where q.source_id = r.id or q.run_id = r.id)
    order by r.id
    for update of r skip locked);
  v_large := array(
    select r.id from tenuto.runs r where r.id = any (v_ids) and r.total > tenuto._request_piece() order by r.id);
  perform tenuto._delete_runs(array(select i from unnest(v_ids) i where i <> all (v_large)));
  perform tenuto._delete_run_rows(v_large);
  insert into tenuto.run_requests (run_id, verb, org_id, requested_at, worked_at)
  select i, 'delete', p_request.org_id, tenuto.now(), tenuto.now() from unnest(v_large) i;
  update tenuto.run_requests
  set base_id = v_last, done = done + cardinality(v_ids), worked_at = tenuto.now()
  where run_id = p_request.run_id and verb = p_request.verb;
end
$$;
