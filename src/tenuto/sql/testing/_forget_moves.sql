-- Test databases only: deletes the recorded moves of a deleted task, so that its id can be used again.
create or replace function tenuto._forget_moves()
  returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  insert into tenuto.test_touched (xid, task_ids)
  select pg_current_xact_id(), array_agg(g.id) from gone g having count(*) > 0;
  delete from tenuto.test_moves m using gone g where m.task_id = g.id;
  return null;
end
$$;

create or replace trigger a_deleted_task_is_forgotten after delete on tenuto.tasks
  referencing old table as gone for each statement execute function tenuto._forget_moves();
