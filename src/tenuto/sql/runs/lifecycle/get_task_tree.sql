-- Returns a task and all tasks below it (its children and their children), parents first.
create or replace function tenuto.get_task_tree(p_org_id uuid, p_task_id uuid)
  returns table (
    id uuid, parent_id uuid, depth int, name text, type text, status text, attempt int, completed_at timestamptz)
  language sql
  stable
as $$
  with recursive tree(id, parent_id, depth, path) as (
    select t.id, t.parent_id, 0, array[t.id] from tenuto.tasks t where t.id = p_task_id and t.org_id = p_org_id
    union all
    select c.id, c.parent_id, p.depth + 1, p.path || c.id from tree p join tenuto.tasks c on c.parent_id = p.id
  )
  select r.id, r.parent_id, r.depth, s.name, s.type, s.status, s.attempt, s.completed_at
  from tree r
  join tenuto.task_status s on s.id = r.id
  order by r.path;
$$;
