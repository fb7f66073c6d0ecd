-- Closes the open runs among these cancelled runs, so that no more tasks can be added to them.
create or replace function tenuto._close_cancelled(p_run_ids uuid[])
  returns void
  language sql
as $$
  insert into tenuto.close_requests (run_id, org_id, requested_at, cancelled)
  select o.run_id, o.org_id, tenuto.now(), true
  from tenuto.open_runs o
  where o.run_id = any (p_run_ids)
  order by o.run_id
  on conflict (run_id, cancelled) do nothing;
$$;
