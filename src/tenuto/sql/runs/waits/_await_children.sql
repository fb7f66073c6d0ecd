-- Records the unfinished children for which each waiting parent waits. Locks the parent's row in task_parents: a child
-- that ends meanwhile waits for this lock, and then finds the record. Returns the parents whose children have all ended
-- already.
create or replace function tenuto._await_children(p_waits tenuto.wait[])
  returns uuid[]
  language plpgsql
as $$
declare
  v_parents uuid[] := array(select w.id from unnest(p_waits) w where w.waits_for = 'children');
begin
  if cardinality(v_parents) = 0 then
    return '{}';
  end if;
  perform from tenuto.task_parents where id = any (v_parents) order by id for update;

  insert into tenuto.awaited_tasks (id, org_id, parent_id)
  select distinct t.id, t.org_id, t.parent_id
  from unnest(p_waits) w
  cross join lateral unnest(w.children) c(id)
  join tenuto.tasks t on t.id = c.id and t.parent_id = w.id
  where w.waits_for = 'children'
    and not exists (select from tenuto.task_attempts a where a.task_id = t.id and a.end_no = 0)
  on conflict (id) do nothing;

  return array(
    select p from unnest(v_parents) p
    where not exists (select from tenuto.awaited_tasks a where a.parent_id = p));
end
$$;
