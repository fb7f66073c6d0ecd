-- Copies the edges, slots and object references of copied tasks. The rows of the copies in the table tasks exist
-- already. An edge begins at the copy of its first task if there is one, otherwise at the original if that belongs to
-- the run p_run_id; other edges are left out. The source of a slot is the copy if there is one, otherwise the original.
-- Tasks are copied before the tasks that depend on them. For every edge from a task that has not ended, returns the
-- copy of the dependent task.
create or replace function tenuto._copy_links(p_run_id uuid, p_base uuid, p_old uuid[])
  returns uuid[]
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
as $$
declare
  v_behind uuid[];
begin
  with edges as (
    insert into tenuto.task_dependencies (parent_id, child_id, org_id, runs_on)
    select coalesce(n.id, d.parent_id), tenuto._copy_id(p_base, d.child_id), d.org_id, d.runs_on
    from (select d.* from tenuto.task_dependencies d where d.child_id = any (p_old) offset 0) d
    left join lateral (
      select n.id from tenuto.tasks n where n.id = tenuto._copy_id(p_base, d.parent_id) limit 1) n on true
    left join lateral (select t.run_id from tenuto.tasks t where t.id = d.parent_id limit 1) t on true
    where n.id is not null or t.run_id = p_run_id
    returning parent_id, child_id
  )
  select coalesce(array_agg(e.child_id), '{}')
  into v_behind
  from edges e
  left join lateral (
    select a.end_no from tenuto.task_attempts a where a.task_id = e.parent_id and a.end_no = 0 limit 1) a on true
  where a.end_no is null;

  insert into tenuto.task_slots (task_id, direction, position, org_id, type, value, object_id, source_task_id,
    source_position)
  select tenuto._copy_id(p_base, s.task_id), s.direction, s.position, s.org_id, s.type, s.value, s.object_id,
         coalesce(n.id, s.source_task_id), s.source_position
  from (select s.* from tenuto.task_slots s where s.task_id = any (p_old) offset 0) s
  left join lateral (
    select n.id from tenuto.tasks n where n.id = tenuto._copy_id(p_base, s.source_task_id) limit 1) n on true;

  -- Copy and original both hold their objects: neither loses an object when the other is deleted.
  insert into tenuto.data_references (object_id, holder, holder_id, org_id)
  select r.object_id, r.holder, tenuto._copy_id(p_base, r.holder_id), r.org_id
  from (select r.* from tenuto.data_references r where r.holder_id = any (p_old) and r.holder = 'task' offset 0) r
  on conflict do nothing;
  return v_behind;
end
$$;
