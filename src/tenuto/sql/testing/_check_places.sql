-- Test databases only: raises an error at commit unless every task that the transaction touched is either in exactly
-- one table of unfinished tasks, or in none of them and has ended (a row in task_attempts with end_no = 0). The trigger
-- runs once per recorded row: the first call checks all tasks of the transaction, and later calls find no tasks to
-- check.
create or replace function tenuto._check_places()
  returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_ids uuid[];
  v_bad record;
begin
  with gone as (
    delete from tenuto.test_touched where xid = pg_current_xact_id() returning task_ids
  )
  select array_agg(distinct i) into v_ids from gone cross join lateral unnest(gone.task_ids) i;
  if v_ids is null then
    return null;
  end if;

  select p.task_id, count(p.place) as places, string_agg(p.place, ', ' order by p.place) as where_it_is
  into v_bad
  from (
    select t.id as task_id, null as place from tenuto.tasks t where t.id = any (v_ids)
    union all select r.id, 'ready' from tenuto.ready_tasks r where r.id = any (v_ids)
    union all select p.id, 'pending' from tenuto.pending_tasks p where p.id = any (v_ids)
    union all select w.id, 'waiting' from tenuto.waiting_tasks w where w.id = any (v_ids)
    union all select d.id, 'delayed' from tenuto.delayed_tasks d where d.id = any (v_ids)
    union all select r.id, 'running' from tenuto.running_tasks r where r.id = any (v_ids)
    union all select a.task_id, 'final' from tenuto.task_attempts a where a.task_id = any (v_ids) and a.end_no = 0
  ) p
  group by p.task_id
  having count(*) <> 2 or count(p.place) <> 1   -- its row in tasks, and one place
  limit 1;
  if found then
    raise exception 'task % must be in one place, but is in % (%)', v_bad.task_id, v_bad.places,
      coalesce(v_bad.where_it_is, 'none');
  end if;
  return null;
end
$$;

drop trigger if exists a_task_is_in_one_place on tenuto.test_touched;
create constraint trigger a_task_is_in_one_place after insert on tenuto.test_touched
  deferrable initially deferred for each row execute function tenuto._check_places();
