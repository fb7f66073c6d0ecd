-- Returns rows that remain in tables without weekly partitions after a weekly partition was dropped: rows of runs and
-- tasks that no longer exist, with the id of that run or task. Checks only rows whose run or task id is a UUIDv7 older
-- than the longest retention of all orgs. Returns at most p_limit rows per table. p_keys: if set, only rows of these
-- runs and tasks are returned. p_parked: rows of these runs and tasks are not returned. Also returns references to data
-- objects that deleted resource groups hold. A transaction that was open during the delete can add such references.
create or replace function tenuto._leftovers(p_limit int, p_keys uuid[], p_parked uuid[])
  returns table (source text, tid tid, id uuid, org_id uuid)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  with old as materialized (
    select tenuto._uuid7_floor('2020-01-01') as first_id,
           tenuto._uuid7_floor(tenuto.now() - max(tenuto._retention(o.settings))) as last_id
    from tenuto.orgs o
  )
  (select 'dedupe_keys', x.ctid, x.run_id, x.org_id
   from tenuto.dedupe_keys x
   where x.run_id >= (select o.first_id from old o) and x.run_id < (select o.last_id from old o)
     and (p_keys is null or x.run_id = any (p_keys)) and x.run_id <> all (p_parked)
     and not exists (select from tenuto.runs r where r.id = x.run_id)
   limit p_limit)
  union all
  (select 'run_data', x.ctid, x.run_id, x.org_id
   from tenuto.run_data x
   where x.run_id >= (select o.first_id from old o) and x.run_id < (select o.last_id from old o)
     and (p_keys is null or x.run_id = any (p_keys)) and x.run_id <> all (p_parked)
     and not exists (select from tenuto.runs r where r.id = x.run_id)
   limit p_limit)
  union all
  (select 'signals', x.ctid, x.run_id, x.org_id
   from tenuto.signals x
   where x.run_id >= (select o.first_id from old o) and x.run_id < (select o.last_id from old o)
     and (p_keys is null or x.run_id = any (p_keys)) and x.run_id <> all (p_parked)
     and not exists (select from tenuto.runs r where r.id = x.run_id)
   limit p_limit)
  union all
  (select 'run_slots', x.ctid, x.run_id, x.org_id
   from tenuto.run_slots x
   where x.run_id >= (select o.first_id from old o) and x.run_id < (select o.last_id from old o)
     and (p_keys is null or x.run_id = any (p_keys)) and x.run_id <> all (p_parked)
     and not exists (select from tenuto.runs r where r.id = x.run_id)
   limit p_limit)
  union all
  (select 'held_runs', x.ctid, x.run_id, x.org_id
   from tenuto.held_runs x
   where x.run_id >= (select o.first_id from old o) and x.run_id < (select o.last_id from old o)
     and (p_keys is null or x.run_id = any (p_keys)) and x.run_id <> all (p_parked)
     and not exists (select from tenuto.runs r where r.id = x.run_id)
   limit p_limit)
  union all
  (select 'task_steps', x.ctid, x.task_id, x.org_id
   from tenuto.task_steps x
   where x.task_id >= (select o.first_id from old o) and x.task_id < (select o.last_id from old o)
     and (p_keys is null or x.task_id = any (p_keys)) and x.task_id <> all (p_parked)
     and not exists (select from tenuto.tasks t where t.id = x.task_id)
   limit p_limit)
  union all
  (select 'task_metadata', x.ctid, x.task_id, x.org_id
   from tenuto.task_metadata x
   where x.task_id >= (select o.first_id from old o) and x.task_id < (select o.last_id from old o)
     and (p_keys is null or x.task_id = any (p_keys)) and x.task_id <> all (p_parked)
     and not exists (select from tenuto.tasks t where t.id = x.task_id)
   limit p_limit)
  union all
  (select 'task_parents', x.ctid, x.id, x.org_id
   from tenuto.task_parents x
   where x.id >= (select o.first_id from old o) and x.id < (select o.last_id from old o)
     and (p_keys is null or x.id = any (p_keys)) and x.id <> all (p_parked)
     and not exists (select from tenuto.tasks t where t.id = x.id)
   limit p_limit)
  union all
  (select 'data_references', x.ctid, x.holder_id, x.org_id
   from tenuto.data_references x
   where x.holder_id >= (select o.first_id from old o) and x.holder_id < (select o.last_id from old o)
     and x.holder in ('run', 'task')
     and (p_keys is null or x.holder_id = any (p_keys)) and x.holder_id <> all (p_parked)
     and not exists (select from tenuto.runs r where r.id = x.holder_id)
     and not exists (select from tenuto.tasks t where t.id = x.holder_id)
   limit p_limit)
  union all
  (select 'data_references', x.ctid, x.holder_id, x.org_id
   from tenuto.resource_groups g
   join tenuto.data_references x on x.holder_id = g.id and x.holder = 'group'
   where g.deleted_at is not null
     and (p_keys is null or x.holder_id = any (p_keys)) and x.holder_id <> all (p_parked)
   limit p_limit);
$$;
