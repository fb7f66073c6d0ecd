-- The limit whose slot the task must get next: keys before queues, then by id, its rate last; null when it holds all of
-- them, 0 for one that was pruned while the task stood in the line of another: sweep_limits makes it again.
create or replace function tenuto._next_limit(p_task_id uuid)
  returns bigint
  language sql
  stable
as $$
  select coalesce(l.id, 0)
  from tenuto.tasks t
  cross join lateral jsonb_to_recordset(t.limits) as n(scope text, key text)
  left join tenuto.limits l on l.org_id = t.org_id and l.scope = n.scope and l.key = n.key
  where t.id = p_task_id
    and not exists (select from tenuto.limit_slots s where s.task_id = t.id and s.limit_id = l.id)
  order by n.scope, l.id
  limit 1;
$$;
