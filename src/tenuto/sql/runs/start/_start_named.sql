-- -> queued: starts single-task runs, each with a name and a dedupe key in the scope of that name. A run whose key is
-- already used is not started: its entry in run_ids is null. Returns the queued tasks that the caller makes ready, as
-- its last step.
create or replace function tenuto._start_named(
  p_org_id uuid, p_names text[], p_keys text[], p_kinds jsonb, p_task_kinds int[], p_inputs jsonb[], p_details jsonb,
  out run_ids uuid[], out queued tenuto.queued_task[])
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set jit = off
as $$
declare
  v_group int := tenuto._group_no(p_org_id, null);
  v_kinds tenuto.task_spec[];
  v_ids uuid[];
  v_new uuid[];
  v_left int[];
begin
  if jsonb_path_exists(p_kinds, '$[*].inherit') then
    select i.p_kinds, i.p_details
    into p_kinds, p_details
    from tenuto._apply_declared_options(p_org_id, p_task_kinds, p_inputs, p_kinds, p_details) i;
  end if;
  v_kinds := tenuto._read_kinds(p_org_id, p_kinds);
  v_ids := tenuto._check_batch(null, p_inputs, p_task_kinds, p_details, v_kinds);
  perform tenuto._check_name('the dedupe key of the run', coalesce(k, ''), 1024) from unnest(p_keys) k;

  with taken as (
    insert into tenuto.dedupe_keys (org_id, scope, key, run_id, created_at)
    select p_org_id, n.name, n.key, n.id, tenuto.now()
    from unnest(v_ids, p_names, p_keys) as n(id, name, key)
    order by n.name, n.key
    on conflict on constraint a_key_is_taken_once do nothing
    returning dedupe_keys.run_id as id
  )
  select array_agg(t.id) into v_new from taken t;
  run_ids := array(
    select case when i.id = any (v_new) then i.id end from unnest(v_ids) with ordinality i(id, no) order by i.no);
  v_left := array(
    select (i.no - 1)::int from unnest(run_ids) with ordinality i(id, no) where i.id is not null order by i.no);
  if cardinality(v_left) = 0 then
    return;
  end if;

  insert into tenuto.runs (id, org_id, group_no, single_task, name, attempt, max_attempts, handlers, created_at)
  select i.id, p_org_id, v_group, true, i.name, 1, 1, 0, tenuto.now()
  from unnest(run_ids, p_names) as i(id, name)
  where i.id is not null;
  queued := tenuto._add_tasks(
    p_org_id, null, 1, null, v_group, v_kinds, array_remove(run_ids, null),
    array(
      select i.input
      from unnest(p_inputs, run_ids) with ordinality as i(input, id, no)
      where i.id is not null
      order by i.no),
    array(
      select i.kind
      from unnest(p_task_kinds, run_ids) with ordinality as i(kind, id, no)
      where i.id is not null
      order by i.no),
    case when cardinality(v_left) = cardinality(v_ids) then p_details else tenuto._renumber(p_details, v_left) end,
    null);
  perform tenuto._wake(k.queue) from unnest(v_kinds) k group by k.queue;
end
$$;
