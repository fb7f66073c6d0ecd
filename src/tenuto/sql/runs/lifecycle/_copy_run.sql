-- Copies a run's declared outputs and its references to data objects to its retry, after its tasks were copied. With
-- p_reuse, copies its run data too.
create or replace function tenuto._copy_run(p_old uuid, p_new uuid, p_base uuid, p_reuse boolean)
  returns void
  language sql
as $$
  insert into tenuto.run_slots (run_id, position, org_id, type, source_task_id, source_position)
  select p_new, s.position, s.org_id, s.type, n.id, s.source_position
  from tenuto.run_slots s
  cross join lateral (select n.id from tenuto.tasks n where n.id = tenuto._copy_id(p_base, s.source_task_id) limit 1) n
  where s.run_id = p_old;

  insert into tenuto.data_references (object_id, holder, holder_id, org_id)
  select r.object_id, r.holder, p_new, r.org_id
  from tenuto.data_references r
  where r.holder = 'run' and r.holder_id = p_old
  on conflict do nothing;

  select tenuto._copy_run_data(p_old, p_new) where p_reuse;
$$;
