-- Returns the limits that sweep_limits has to repair. There are four cases. A task that is neither ready nor running
-- nor in line holds a slot. Tasks are in the line of a limit that has no row, and no arrival exists that would create
-- it. Tasks are in line although slots are free. Tasks wait for a rate that is not scheduled for a check.
create or replace function tenuto._limits_to_repair()
  returns table (id bigint, org_id uuid)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  with recursive line(id) as (   -- one index step per line, however many tasks are in it
    select min(w.limit_id) from tenuto.waiting_tasks w
    union all
    select (select min(w.limit_id) from tenuto.waiting_tasks w where w.limit_id > line.id)
    from line
    where line.id is not null
  )
  select s.limit_id, s.org_id
  from tenuto.limit_slots s
  where not exists (select from tenuto.running_tasks r where r.id = s.task_id)
    and not exists (select from tenuto.ready_tasks r where r.id = s.task_id)
    and not exists (select from tenuto.waiting_tasks w where w.id = s.task_id and w.waits_for = 'limit')
  union
  select line.id, (select w.org_id from tenuto.waiting_tasks w where w.limit_id = line.id limit 1)
  from line
  left join tenuto.limits l on l.id = line.id
  where line.id is not null
    and case when l.id is null
             then line.id not in (select a.limit_id from tenuto.arrivals a where a.limit_id is not null)
             when l.scope = 'rate' then l.due_at is null
             else (select count(*) from tenuto.limit_slots s where s.limit_id = l.id) < l.size end;
$$;
