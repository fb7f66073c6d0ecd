-- Returns the reports that this transaction did not accept. The result is already_accepted if the same holder reported
-- the same end (p_end, as in _ended_as) for the same fence before, otherwise stale_lease: the report changes nothing,
-- and its output or error is not stored. This must be a separate statement after the one that ended the attempts: if
-- the same report is sent twice at the same time, the snapshot of that statement would not show the accepted report,
-- and the result would be stale_lease.
create or replace function tenuto._rejected_reports(
  p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[], p_accepted uuid[], p_end text)
  returns table (task_id uuid, attempt int, result text)
  language sql
  set plan_cache_mode = force_custom_plan
as $$
  select r.id, r.attempt,
         case when tenuto._session_exists(p_session_id, p_token)
               and exists (
                 select from tenuto.task_attempts a
                 where a.task_id = r.id and a.end_no in (0, r.attempt) and a.attempt = r.attempt
                   and a.session_id = p_session_id and tenuto._ended_as(a, p_end))
              then 'already_accepted' else 'stale_lease' end
  from unnest(p_task_ids, p_attempts) as r(id, attempt)
  where r.id <> all (coalesce(p_accepted, '{}'))
     -- or another report of the same task was accepted, but this one is of an older attempt
     or r.attempt <> (select max(a.attempt) from tenuto.task_attempts a where a.task_id = r.id);
$$;
