-- Repairs limits: takes slots from tasks that are neither ready nor running nor in line, makes limits again that are
-- gone while tasks stand in their line, fills free slots that a start and a finish passed to each other unseen, and
-- tells dispatchers of rates that somebody waits for and nobody looks at. What another transaction holds is left for
-- the next time.
create or replace function tenuto.sweep_limits()
  returns table (freed bigint, filled bigint)
  language plpgsql
as $$
declare
  v_limits bigint[];
  v_waiting bigint;
begin
  with leaked as (
    delete from tenuto.limit_slots s
    where not exists (select from tenuto.running_tasks r where r.id = s.task_id)
      and not exists (select from tenuto.ready_tasks r where r.id = s.task_id)
      and not exists (select from tenuto.waiting_tasks w where w.id = s.task_id and w.waits_for = 'limit')
    returning 1
  )
  select count(*) into freed from leaked;
  perform tenuto._try_follow_arrivals();   -- which makes the limits that are new, not lost
  perform tenuto._line_up_again();

  select array_agg(distinct l.id), count(distinct w.id)
  into v_limits, v_waiting
  from tenuto.limits l
  join tenuto.waiting_tasks w on w.limit_id = l.id
  where case when l.scope = 'rate' then l.due_at is null
             else (select count(*) from tenuto.limit_slots s where s.limit_id = l.id) < l.size end;
  if v_limits is not null then
    v_limits := array(
      select l.id
      from tenuto.limits l
      where l.id = any (v_limits)
      order by l.scope, l.id
      for no key update skip locked);
    perform tenuto._expect_rates(array(select id from tenuto.limits where id = any (v_limits) and scope = 'rate'));
    perform tenuto._fill_limits(array(select id from tenuto.limits where id = any (v_limits) and scope <> 'rate'));
    perform tenuto._try_follow_arrivals();
  end if;
  select coalesce(v_waiting, 0) - count(*) into filled from tenuto.waiting_tasks w where w.limit_id = any (v_limits);
  return next;
end
$$;
