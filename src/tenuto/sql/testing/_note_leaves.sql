-- Test databases only: records the tasks whose row was deleted from a state table. At commit, _check_places checks
-- where these tasks are.
create table if not exists tenuto.test_touched (
  xid      xid8 not null,
  task_ids uuid[] not null
);
create index if not exists test_touched_xid_idx on tenuto.test_touched (xid);

create or replace function tenuto._note_leaves()
  returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  insert into tenuto.test_touched (xid, task_ids)
  select pg_current_xact_id(), array_agg(g.id) from gone g having count(*) > 0;
  return null;
end
$$;

create or replace trigger a_leave_is_noted after delete on tenuto.ready_tasks
  referencing old table as gone for each statement execute function tenuto._note_leaves();
create or replace trigger a_leave_is_noted after delete on tenuto.pending_tasks
  referencing old table as gone for each statement execute function tenuto._note_leaves();
create or replace trigger a_leave_is_noted after delete on tenuto.waiting_tasks
  referencing old table as gone for each statement execute function tenuto._note_leaves();
create or replace trigger a_leave_is_noted after delete on tenuto.delayed_tasks
  referencing old table as gone for each statement execute function tenuto._note_leaves();
create or replace trigger a_leave_is_noted after delete on tenuto.running_tasks
  referencing old table as gone for each statement execute function tenuto._note_leaves();
