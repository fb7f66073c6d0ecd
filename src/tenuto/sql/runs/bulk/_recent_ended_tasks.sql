-- Returns an org's newest tasks that ended with p_outcome (failed, cancelled or skipped) and have ids before p_before.
create or replace function tenuto._recent_ended_tasks(p_org_id uuid, p_outcome text, p_before uuid, p_limit int)
  returns table (id uuid)
  language sql
  stable
as $$
  select a.task_id
  from tenuto.task_attempts a
  where a.org_id = p_org_id
    and a.outcome = p_outcome
    and a.end_no = 0
    and a.outcome in ('failed', 'cancelled', 'skipped')
    and (p_before is null or a.task_id < p_before)
  order by a.task_id desc
  limit p_limit;
$$;
