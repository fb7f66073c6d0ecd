-- Returns why a task is blocked after a change of its code: the recorded step, and the step that the code called
-- instead.
create or replace function tenuto._why_blocked(p_task_id uuid, p_route_id int, p_attempt int)
  returns text
  language sql
  stable
as $$
  select coalesce((
      select format('its code changed: step %s was %s on an earlier attempt and is %s in code version %s',
                    a.error ->> 'step_no', a.error ->> 'expected', a.error ->> 'found',
                    r.blocked_versions[cardinality(r.blocked_versions)])
      from tenuto.task_attempts a
      where a.task_id = p_task_id and a.end_no = p_attempt and a.outcome = 'blocked'),
    format('its code changed: code version %s cannot continue it', array_to_string(r.blocked_versions, ' or ')))
    || '; it continues when a worker with other code is alive'
  from tenuto.routes r
  where r.id = p_route_id;
$$;
