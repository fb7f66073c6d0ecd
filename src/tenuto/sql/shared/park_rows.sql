-- Parks rows on which a loop failed, or parks them again. The pause before the next try is 1 s and doubles with each
-- failure up to 10 minutes. A parked row that is not yet due is not changed: if two dispatchers fail on a row at the
-- same time, its pause doubles only once.
create or replace function tenuto.park_rows(
  p_loop text, p_keys text[], p_org_ids uuid[], p_run_ids uuid[], p_task_ids uuid[], p_errors text[],
  p_sqlstates text[])
  returns table (key text, failures int, retry_at timestamptz)
  language sql
as $$
  insert into tenuto.parked_rows as p (loop, key, org_id, run_id, task_id, error, sqlstate, failures, parked_at,
    retry_at)
  select p_loop, n.key, n.org_id, n.run_id, n.task_id, left(n.error, 1024), n.sqlstate, 1, tenuto.now(),
         tenuto.now() + interval '1 second'
  from unnest(p_keys, p_org_ids, p_run_ids, p_task_ids, p_errors, p_sqlstates)
       as n(key, org_id, run_id, task_id, error, sqlstate)
  order by n.key
  on conflict (loop, key) do update
  set failures = p.failures + 1,
      error    = excluded.error,
      sqlstate = excluded.sqlstate,
      retry_at = tenuto.now() + make_interval(secs => least(600, 2 ^ least(p.failures, 10))),
      taken_until = null
  where p.retry_at <= tenuto.now()
  returning p.key, p.failures, p.retry_at;
$$;
