-- -> pending: starts one run of a graph of tasks. Tasks name their kind by its position in p_kinds. Edges and details
-- name tasks by their position in p_inputs. Edges go forward, so that a graph has no cycles. A single plain task makes
-- a single-task run, which has the task's id. With hold, no task can start before release_run. If a run of the org
-- already has the id or the dedupe key in p_run, returns that run and created = false.
create or replace function tenuto.start_run(
  p_org_id uuid, p_run jsonb, p_kinds jsonb, p_inputs jsonb[], p_ids uuid[] default null,
  p_task_kinds int[] default null, p_details jsonb default null, p_edges jsonb default null,
  p_wake boolean default true)
  returns table (run_id uuid, created boolean)
  language plpgsql
as $$
declare
  v_kinds tenuto.task_spec[];
  v_ids uuid[];
  v_edges tenuto.edge[];
  v_run tenuto.runs;
  v_held boolean;
  v_handlers int[];   -- per task, 0 for none; int[], because access by index is slow in a task_spec[]
begin
  if jsonb_path_exists(p_kinds, '$[*].inherit') then
    select i.p_kinds, i.p_details
    into p_kinds, p_details
    from tenuto._apply_declared_options(p_org_id, p_task_kinds, p_inputs, p_kinds, p_details) i;
  end if;
  v_kinds := tenuto._read_kinds(p_org_id, p_kinds);
  v_ids := tenuto._check_batch(p_ids, p_inputs, p_task_kinds, p_details, v_kinds);
  v_edges := tenuto._read_edges(p_edges, p_details, cardinality(p_inputs));
  v_run := tenuto._read_run(p_org_id, p_run);
  if v_run.id is not null and p_ids is null and cardinality(v_ids) = 1 and v_run.max_attempts = 1 then
    v_ids := array[v_run.id];
  end if;
  if exists (select from unnest(v_kinds) k where k.handler is not null) then
    v_handlers := array(select coalesce(array_position(array['completed', 'failed', 'cancelled'], k.handler), 0)
                        from unnest(v_kinds) k);
    v_handlers := array(
      select v_handlers[coalesce(p_task_kinds[i], 0) + 1] from generate_subscripts(v_ids, 1) i order by i);
  end if;
  if v_handlers is not null
     and exists (select from unnest(v_edges) e where v_handlers[e.from_no + 1] <> v_handlers[e.to_no + 1]) then
    perform tenuto._raise('TN003', 'an edge connects a handler with a task that is not a handler for the same outcome',
      'handlers start after all other tasks have ended');
  end if;
  v_run.single_task := cardinality(v_ids) = 1
    and v_run.max_attempts = 1
    and (v_kinds[1]).handler is null
    and coalesce(v_run.id, v_ids[1]) = v_ids[1];
  v_run.id := coalesce(v_run.id, case when v_run.single_task then v_ids[1] else tenuto._uuid7() end);

  if p_run ? 'dedupe_key' then
    select d.run_id, d.created into run_id, created
    from tenuto._dedupe_run(p_org_id, v_run.id, p_run ->> 'dedupe_key', v_run.name, v_kinds) d;
    if not created then
      return next;
      return;
    end if;
  end if;

  if not v_run.single_task then
    v_run.status := 'pending';
    v_run.total := cardinality(v_ids);
    v_run.completed := 0;
    v_run.failed := 0;
    v_run.cancelled := 0;
    v_run.skipped := 0;
    v_run.untolerated_failures := 0;
    v_run.handlers := coalesce(cardinality(array_remove(v_handlers, 0)), 0);
  end if;
  if p_run ? 'id' or p_ids is not null then
    insert into tenuto.runs select v_run.* on conflict (id) do nothing;
    if not found then
      perform tenuto._check_known_id(p_org_id, v_run.id);
      return query select v_run.id, false;
      return;
    end if;
  else   -- a new id is not used yet, and looking for a conflict would take a third of the insert's time
    insert into tenuto.runs select v_run.*;
  end if;
  if p_run ? 'id' then
    perform tenuto._refuse_used_ids(array[v_run.id], false);
  end if;
  perform tenuto._add_deadlines(p_org_id, v_run.id, p_run);
  v_held := tenuto._hold_run(p_org_id, v_run.id, p_run);

  perform tenuto._add_edges(p_org_id, v_ids, v_edges);
  perform tenuto._add_slots(p_org_id, v_run.id, v_ids, p_details, p_run -> 'outputs');
  perform tenuto._make_ready(tenuto._add_tasks(
    p_org_id, case when not v_run.single_task then v_run.id end, 1, null, v_run.group_no, v_kinds, v_ids, p_inputs,
    p_task_kinds, p_details, v_edges, p_held => v_held));
  if p_wake and not v_held then
    perform tenuto._wake(queue) from unnest(v_kinds) group by queue;
  end if;
  perform tenuto._audit(p_org_id, 'run', v_run.id::text, 'start',
    jsonb_build_object('type', tenuto._types_of(p_kinds), 'runs', 1));
  return query select v_run.id, true;
end
$$;
