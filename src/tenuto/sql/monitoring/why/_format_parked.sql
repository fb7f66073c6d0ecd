-- Returns the text to add for a task if a dispatcher loop failed on it or on its run; otherwise an empty text.
create or replace function tenuto._format_parked(p_org_id uuid, p_run_id uuid, p_task_id uuid)
  returns text
  language sql
  stable
as $$
  select coalesce((
    select format('; dispatcher loop %s failed on %s %s times and tries again at %s: %s', p.loop,
                  case when p.task_id is null then 'its run' else 'it' end, p.failures, tenuto._format_time(p.retry_at),
                  left(p.error, 200))
    from tenuto.parked_rows p
    where p.org_id = p_org_id
      and p.run_id = p_run_id
      and (p.task_id is null or p.task_id = p_task_id)
    order by p.task_id nulls last, p.parked_at
    limit 1), '');
$$;
