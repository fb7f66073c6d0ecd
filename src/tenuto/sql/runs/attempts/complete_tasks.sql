-- running -> completed, for a batch of reports. Returns one result per report: accepted, already_accepted (the same end
-- of the same fence was reported before), stale_lease (the session does not hold the attempt, or reported another end:
-- this report is dropped), or refused (the task has failed, because its publications are wrong).
-- p_published: for each task the list of its publications, or null: [{"output": 0, "partition": …, "location": …,
-- "rows": …, "bytes": …, "fingerprint": …, "schema_hash": …, "checks": […]}, …].
create or replace function tenuto.complete_tasks(
  p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[], p_outputs jsonb[] default null,
  p_effects jsonb default null, p_published jsonb[] default null)
  returns table (task_id uuid, attempt int, result text)
  language plpgsql
as $$
begin
  perform tenuto._check_fences(p_task_ids, p_attempts,
    cardinality(coalesce(p_outputs, array_fill(null::jsonb, array[cardinality(p_task_ids)]))));
  perform tenuto._check_fences(p_task_ids, p_attempts, coalesce(cardinality(p_published), cardinality(p_task_ids)));
  return query
  select r.id, r.attempt, coalesce(d.result, 'accepted')
  from unnest(p_task_ids, p_attempts) with ordinality as r(id, attempt, no)
  left join (
    select distinct *
    from tenuto._complete(
      p_session_id, p_token, p_task_ids, p_attempts, p_outputs, p_effects, p_published => p_published)) d
    on d.task_id = r.id and d.attempt = r.attempt
  order by r.no;
end
$$;
