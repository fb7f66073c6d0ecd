-- Test databases only: records every insert into a state table as a move of the task. Raises an error if
-- task_transitions does not allow a move from the task's last state to the new one.
create table if not exists tenuto.test_moves (
  no         bigint generated always as identity,
  task_id    uuid not null,
  from_state text,
  to_state   text not null
);
create index if not exists test_moves_task_idx on tenuto.test_moves (task_id, no);

create or replace function tenuto._note_moves()
  returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_ids uuid[];
  v_states text[];
  v_illegal record;
begin
  if tg_table_name = 'task_attempts' then
    select array_agg(m.task_id), array_agg(m.outcome) into v_ids, v_states from moved m where m.end_no = 0;
  elsif tg_table_name = 'waiting_tasks' then
    select array_agg(m.id), array_agg(case when m.waits_for = 'limit' then 'queued' else 'waiting' end)
    into v_ids, v_states
    from moved m;
  elsif tg_table_name = 'delayed_tasks' then
    select array_agg(m.id), array_agg(case when m.reason = 'retry' then 'retrying' else 'queued' end)
    into v_ids, v_states
    from moved m;
  else
    select array_agg(m.id), array_agg(tg_argv[0]) into v_ids, v_states from moved m;
  end if;
  if v_ids is null then
    return null;
  end if;
  insert into tenuto.test_touched (xid, task_ids) values (pg_current_xact_id(), v_ids);

  with moves as (
    insert into tenuto.test_moves (task_id, from_state, to_state)
    select n.id, b.to_state, n.state
    from unnest(v_ids, v_states) n(id, state)
    left join lateral (
      select t.to_state from tenuto.test_moves t where t.task_id = n.id order by t.no desc limit 1) b on true
    returning task_id, from_state, to_state
  )
  select m.* into v_illegal
  from moves m
  where (m.from_state, m.to_state) is distinct from ('queued', 'queued')   -- moved to another table of queued tasks
    and not exists (
      select from tenuto.task_transitions t
      where t.entity = 'task' and t.from_state is not distinct from m.from_state and t.to_state = m.to_state)
  limit 1;
  if found then
    raise exception 'task % moved from % to %, which task_transitions does not allow',
      v_illegal.task_id, coalesce(v_illegal.from_state, 'nowhere'), v_illegal.to_state;
  end if;
  return null;
end
$$;

create or replace trigger a_move_is_noted after insert on tenuto.ready_tasks
  referencing new table as moved for each statement execute function tenuto._note_moves('queued');
create or replace trigger a_move_is_noted after insert on tenuto.pending_tasks
  referencing new table as moved for each statement execute function tenuto._note_moves('pending');
create or replace trigger a_move_is_noted after insert on tenuto.waiting_tasks
  referencing new table as moved for each statement execute function tenuto._note_moves();
create or replace trigger a_move_is_noted after insert on tenuto.delayed_tasks
  referencing new table as moved for each statement execute function tenuto._note_moves();
create or replace trigger a_move_is_noted after insert on tenuto.running_tasks
  referencing new table as moved for each statement execute function tenuto._note_moves('running');
create or replace trigger a_move_is_noted after insert on tenuto.task_attempts
  referencing new table as moved for each statement execute function tenuto._note_moves();
