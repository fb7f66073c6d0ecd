-- Returns the waits of a batch. Raises TN003 for a wait that is not valid or could never end. The schema of a signal is
-- left out if values cannot be checked against it: then the waiting task alone checks them.
create or replace function tenuto._read_waits(p_task_ids uuid[], p_attempts int[], p_waits jsonb[])
  returns tenuto.wait[]
  language plpgsql
as $$
declare
  v_waits tenuto.wait[];
  v_bad record;
begin
  perform tenuto._check_keys('a wait', w, array['for', 'tasks', 'name', 'schema', 'seconds', 'timeout_seconds'])
  from unnest(p_waits) w;
  select array_agg((s.id, s.wait ->> 'for', s.children, s.wait ->> 'name',
                    coalesce((s.wait ->> 'seconds')::float8, (s.wait ->> 'timeout_seconds')::float8),
                    case when s.wait ->> 'for' = 'signal' and tenuto._schema_problem(s.wait -> 'schema') is null
                         then s.wait -> 'schema' end)::tenuto.wait)
  into v_waits
  from (
    select distinct on (w.id) w.id, w.wait,
           array(select c::uuid from jsonb_array_elements_text(coalesce(w.wait -> 'tasks', '[]')) c) as children
    from unnest(p_task_ids, p_attempts, p_waits) as w(id, attempt, wait)
    order by w.id, w.attempt desc
  ) s;

  select w.id, w.waits_for into v_bad
  from unnest(v_waits) w
  where w.waits_for is null
     or w.waits_for not in ('children', 'signal', 'time')
     or (w.waits_for = 'signal' and coalesce(octet_length(w.signal), 0) not between 1 and 256)
     or (w.waits_for = 'time' and w.seconds is null)
     or w.seconds > 315360000   -- true for NaN and infinity too
  limit 1;
  if found then
    perform tenuto._raise('TN003', format('task %s cannot wait for %L', v_bad.id, v_bad.waits_for),
      'wait for children (tasks), signal (name) or time (seconds)');
  end if;
  return v_waits;
end
$$;
