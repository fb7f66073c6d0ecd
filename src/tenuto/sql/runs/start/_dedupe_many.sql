-- Stores the dedupe keys of a start. Returns for each task its run, and whether the run is new; a task with a null key
-- always has a new run. Insert and lookup are two statements: the insert may wait for a concurrent start with the same
-- key, and a single statement would not see the row of that start.
create or replace function tenuto._dedupe_many(
  p_org_id uuid, p_kinds tenuto.task_spec[], p_task_kinds int[], p_ids uuid[], p_keys text[])
  returns tenuto.started[]
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_types text[] := array(
    select r.type
    from unnest(p_kinds) with ordinality k(route_id, q, p, m, l, b, t, h, o, a, no)
    join tenuto.routes r on r.id = k.route_id
    order by k.no);
  v_new uuid[];
begin
  perform tenuto._require_read_committed('a start with dedupe keys');
  if cardinality(p_keys) <> cardinality(p_ids) then
    perform tenuto._raise('TN003', format('%s dedupe keys for %s tasks', cardinality(p_keys), cardinality(p_ids)),
      'use null for a task without a key');
  end if;
  perform tenuto._check_name(format('the dedupe key of task %s', k.no - 1), k.key, 1024)
  from unnest(p_keys) with ordinality k(key, no) where octet_length(k.key) not between 1 and 1024;

  with taken as (
    insert into tenuto.dedupe_keys (org_id, scope, key, run_id, created_at)
    select p_org_id, v_types[coalesce(s.kind, 0) + 1], s.key, s.id, tenuto.now()
    from unnest(p_ids, p_task_kinds, p_keys) with ordinality as s(id, kind, key, no)
    where s.key is not null
    order by 2, 3, s.no
    on conflict on constraint a_key_is_taken_once do nothing
    returning run_id
  )
  select array_agg(run_id) into v_new from taken;

  -- Only keys that this call inserted are new: a repeated call with the same ids finds the keys of the first call.
  return array(
    select (s.no, coalesce(d.run_id, s.id), s.key is null or n.id is not null)::tenuto.started
    from unnest(p_ids, p_task_kinds, p_keys) with ordinality as s(id, kind, key, no)
    left join tenuto.dedupe_keys d on d.org_id = p_org_id
      and d.scope = v_types[coalesce(s.kind, 0) + 1]
      and d.key = s.key
    left join unnest(v_new) n(id) on n.id = s.id
    order by s.no);
end
$$;
