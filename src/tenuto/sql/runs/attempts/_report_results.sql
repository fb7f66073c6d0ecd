-- Returns one result for each report of a batch, in the order of the batch.
create or replace function tenuto._report_results(
  p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[], p_accepted uuid[], p_end text)
  returns table (task_id uuid, attempt int, result text)
  language sql
as $$
  select r.id, r.attempt, coalesce(d.result, 'accepted')
  from unnest(p_task_ids, p_attempts) with ordinality as r(id, attempt, no)
  left join (
    select distinct * from tenuto._rejected_reports(p_session_id, p_token, p_task_ids, p_attempts, p_accepted, p_end)) d
    on d.task_id = r.id and d.attempt = r.attempt
  order by r.no;
$$;
