-- -> pending | queued: adds tasks to an open run and returns their ids. The parameters are as in start_run; edges and
-- slots connect tasks of the same call. Raises TN004 if the run is not open. Tasks that are added while the run is
-- being closed belong to it: the run ends after them. Tasks of a held run wait until it is released. If the run already
-- has tasks with all of p_ids, nothing is added and p_ids are returned, even if the run was closed since.
create or replace function tenuto.add_tasks(
  p_org_id uuid, p_run_id uuid, p_kinds jsonb, p_inputs jsonb[], p_ids uuid[] default null,
  p_task_kinds int[] default null, p_details jsonb default null, p_edges jsonb default null,
  p_wake boolean default true)
  returns uuid[]
  language plpgsql
as $$
declare
  v_kinds tenuto.task_spec[];
  v_ids uuid[];
  v_edges tenuto.edge[];
  v_group int;
  v_first_place int;
  v_held boolean;
begin
  if tenuto._has_tasks(p_org_id, p_run_id, p_ids) then
    return p_ids;
  end if;
  perform tenuto._lock_open_run(p_org_id, p_run_id);
  v_held := tenuto._lock_held_run(p_run_id);
  perform tenuto._refuse_used_ids(coalesce(p_ids, '{}'), true);
  if jsonb_path_exists(p_kinds, '$[*].inherit') then
    select i.p_kinds, i.p_details
    into p_kinds, p_details
    from tenuto._apply_declared_options(p_org_id, p_task_kinds, p_inputs, p_kinds, p_details) i;
  end if;
  v_kinds := tenuto._read_kinds(p_org_id, p_kinds);
  if exists (select from unnest(v_kinds) k where k.handler is not null) then
    perform tenuto._raise('TN003', 'a handler cannot be added to an open run', 'pass handlers to start_run');
  end if;
  v_ids := tenuto._check_batch(p_ids, p_inputs, p_task_kinds, p_details, v_kinds);
  v_edges := tenuto._read_edges(p_edges, p_details, cardinality(v_ids));
  -- The new tasks are placed after the tasks that were added before. Concurrent calls may get the same places.
  select r.group_no,
         r.total - 1 + coalesce((select sum(c.added) from tenuto.run_counts c where c.run_id = p_run_id), 0)
  into v_group, v_first_place
  from tenuto.runs r
  where r.id = p_run_id;

  perform tenuto._add_edges(p_org_id, v_ids, v_edges);
  perform tenuto._add_slots(p_org_id, p_run_id, v_ids, p_details, null);
  perform tenuto._make_ready(tenuto._add_tasks(
    p_org_id, p_run_id, 1, null, v_group, v_kinds, v_ids, p_inputs, p_task_kinds, p_details, v_edges, v_first_place,
    v_held));
  insert into tenuto.run_counts (run_id, org_id, added) values (p_run_id, p_org_id, cardinality(v_ids));
  if p_wake and not v_held then
    perform tenuto._wake(queue) from unnest(v_kinds) group by queue;
  end if;
  perform tenuto._audit(p_org_id, 'run', p_run_id::text, 'add',
    jsonb_build_object('type', tenuto._types_of(p_kinds), 'tasks', cardinality(v_ids)));
  return v_ids;
end
$$;
