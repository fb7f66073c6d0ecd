-- -> queued: starts every task as a single-task run, with the task's id. Returns each run in order. For a dedupe key
-- that is already used, returns the run that has the key and created = false.
create or replace function tenuto.start_many(
  p_org_id uuid, p_kinds jsonb, p_inputs jsonb[], p_ids uuid[] default null, p_task_kinds int[] default null,
  p_details jsonb default null, p_dedupe_keys text[] default null, p_group text default null,
  p_wake boolean default true)
  returns table (run_id uuid, created boolean)
  language plpgsql
  set jit = off
as $$
declare
  v_group int;
  v_kinds tenuto.task_spec[];
  v_ids uuid[];
  v_started tenuto.started[];
  v_queue text;
begin
  if cardinality(p_ids) = 1
     and cardinality(p_inputs) = 1
     and p_task_kinds is null
     and p_details is null
     and p_dedupe_keys is null
     and p_ids[1] is not null
     and p_kinds = jsonb_build_array(p_kinds -> 0) then
    v_queue := tenuto._start_single_task(p_org_id, p_kinds -> 0, p_inputs[1], p_ids[1], p_group);
    if v_queue is not null then
      perform tenuto._audit(p_org_id, 'run', p_ids[1]::text, 'start',
        jsonb_build_object('type', p_kinds -> 0 ->> 'type', 'runs', 1));
      if p_wake then
        perform tenuto._wake(v_queue);
      end if;
      run_id := p_ids[1];
      created := true;
      return next;
      return;
    end if;
  end if;

  if jsonb_path_exists(p_kinds, '$[*].inherit') then
    select i.p_kinds, i.p_details
    into p_kinds, p_details
    from tenuto._apply_declared_options(p_org_id, p_task_kinds, p_inputs, p_kinds, p_details) i;
  end if;
  v_group := tenuto._group_no(p_org_id, p_group);
  v_kinds := tenuto._read_kinds(p_org_id, p_kinds);
  v_ids := tenuto._check_batch(p_ids, p_inputs, p_task_kinds, p_details, v_kinds);
  if jsonb_path_exists(p_details, '$[*] ? (exists (@.slots) || exists (@.outputs))')
     or exists (select from unnest(v_kinds) k where k.handler is not null) then
    perform tenuto._raise('TN003', 'a run of one task cannot have slots or handlers', 'use start_run');
  end if;
  if p_dedupe_keys is not null then
    v_started := tenuto._dedupe_many(p_org_id, v_kinds, p_task_kinds, v_ids, p_dedupe_keys);
    select coalesce(array_agg(a.run_id order by a.no), '{}'),
           coalesce(array_agg(p_inputs[a.no] order by a.no), '{}'),
           case when p_task_kinds is not null then coalesce(array_agg(p_task_kinds[a.no] order by a.no), '{}') end
    into v_ids, p_inputs, p_task_kinds
    from unnest(v_started) a
    where a.created;
    p_details := tenuto._renumber(
      p_details, array(select a.no - 1 from unnest(v_started) a where a.created order by a.no));
  end if;

  insert into tenuto.runs (id, org_id, group_no, single_task, created_at)
  select id, p_org_id, v_group, true, tenuto.now() from unnest(v_ids) id;
  perform tenuto._make_ready(tenuto._add_tasks(
    p_org_id, null, 1, null, v_group, v_kinds, v_ids, p_inputs, p_task_kinds, p_details, null));
  if p_wake then
    perform tenuto._wake(k.queue) from unnest(v_kinds) k group by k.queue;
  end if;

  perform tenuto._audit_many(p_org_id, 'run', v_ids, 'start',
    jsonb_build_object('type', tenuto._types_of(p_kinds), 'runs', 1));

  if p_dedupe_keys is null then
    return query select id, true from unnest(v_ids) id;
  else
    return query select a.run_id, a.created from unnest(v_started) a order by a.no;
  end if;
end
$$;
