-- The limit whose slot the task must get next: keys before queues, then by id; null when it holds all of them.
create or replace function tenuto._next_limit(p_task_id uuid)
  returns bigint
  language sql
  stable
as $$
  select l.id
  from tenuto.tasks t
  cross join lateral jsonb_to_recordset(t.limits) as n(scope text, key text)
  join tenuto.limits l on l.org_id = t.org_id and l.scope = n.scope and l.key = n.key
  where t.id = p_task_id
    and not exists (select from tenuto.limit_slots s where s.task_id = t.id and s.limit_id = l.id)
  order by l.scope, l.id
  limit 1;
$$;
