-- Returns the status of each of these runs of the org. If a run with the dedupe key of a start exists already, the
-- start returns this run with its current status, which comes from here.
create or replace function tenuto.get_run_statuses(p_org_id uuid, p_run_ids uuid[])
  returns table (id uuid, status text)
  language sql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
  select r.id, r.status
  from tenuto.run_status r
  where r.id = any (p_run_ids)
    and r.org_id = p_org_id;
$$;
