-- Allows closed and cancelled runs to end. The total of an open run is one more than its number of tasks; this function
-- subtracts that one. Skips runs to which another transaction is adding tasks, because it has locked their rows.
-- sweep_closed processes these runs. Returns how many runs can end now.
create or replace function tenuto._end_openness(p_run_ids uuid[])
  returns bigint
  language plpgsql
as $$
declare
  v_runs uuid[];
  v_closed uuid[];
begin
  with due as materialized (
    select o.run_id, o.org_id
    from tenuto.open_runs o
    where o.run_id = any (p_run_ids)
      and exists (select from tenuto.close_requests c where c.run_id = o.run_id and c.org_id = o.org_id)
    order by o.run_id
    for update skip locked
  ), gone as (
    delete from tenuto.open_runs o using due d where o.run_id = d.run_id
  ), requests as (
    delete from tenuto.close_requests c using due d where c.run_id = d.run_id returning c.run_id, c.cancelled
  ), counts as (
    insert into tenuto.run_counts (run_id, org_id, added)
    select d.run_id, d.org_id, -1 from due d
  )
  select (select array_agg(d.run_id) from due d),
         (select array_agg(q.run_id) from requests q where not q.cancelled)
  into v_runs, v_closed;

  delete from tenuto.close_requests c   -- requests of runs that another transaction has processed meanwhile
  where c.run_id = any (p_run_ids) and not exists (select from tenuto.open_runs o where o.run_id = c.run_id);
  perform from tenuto.runs r where r.id = any (v_closed) order by r.id for no key update;
  update tenuto.runs r set open = false where r.id = any (v_closed);
  return coalesce(cardinality(v_runs), 0);
end
$$;
