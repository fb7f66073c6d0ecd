-- Returns why a task in the line of a limit or rate is not admitted: which tasks hold the slots, or when the rate
-- admits the next task.
create or replace function tenuto._why_limited(p_waiting tenuto.waiting_tasks)
  returns text
  language plpgsql
  stable
as $$
declare
  v_limit tenuto.limits;
  v_ahead bigint;
  v_used bigint;
  v_holders text;
begin
  select l.* into v_limit from tenuto.limits l where l.id = p_waiting.limit_id;
  if not found then
    return 'its limit is being created' || coalesce(tenuto._why_not_moved(p_waiting.waiting_at), '');
  end if;
  select count(*) into v_ahead
  from (select from tenuto.waiting_tasks w
        where w.limit_id = v_limit.id
          and (w.priority > p_waiting.priority or (w.priority = p_waiting.priority and w.seq < p_waiting.seq))
        limit 1000) w;
  if v_limit.scope = 'rate' then
    return format('rate %s admits %s per %s s, the next at %s; tasks ahead of it: %s',
                  v_limit.key, v_limit.size, v_limit.seconds,
                  tenuto._format_time(greatest(v_limit.paced_at, p_waiting.waiting_at)), v_ahead)
           || coalesce(tenuto._why_not_moved(greatest(v_limit.paced_at, p_waiting.waiting_at)), '');
  end if;

  select count(*) into v_used from tenuto.limit_slots s where s.limit_id = v_limit.id;
  select string_agg(coalesce(t.name, o.type) || ' ' || t.id, ', ') into v_holders
  from (select s.task_id from tenuto.limit_slots s where s.limit_id = v_limit.id order by s.task_id limit 3) h
  join tenuto.tasks t on t.id = h.task_id
  join tenuto.routes o on o.id = t.route_id;
  return format('limit %s%s is %s (%s of %s%s); tasks ahead of it: %s',
                case v_limit.scope when 'queue' then 'of queue ' else '' end, v_limit.key,
                case when v_used >= v_limit.size then 'full' else 'about to admit it' end, v_used, v_limit.size,
                coalesce(', held by ' || v_holders || case when v_used > 3 then ' and others' else '' end, ''),
                v_ahead);
end
$$;
