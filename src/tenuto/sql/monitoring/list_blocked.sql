-- Returns the task types that have tasks waiting for other code. Each row has the code versions that cannot continue
-- these tasks, how many tasks wait (counted up to 10,000), and the task that has waited longest, with its recorded step
-- (expected) and the step that the code called instead (found).
create or replace function tenuto.list_blocked(p_org_id uuid, p_limit int default 100)
  returns table (
    type text, code_versions text[], tasks bigint, task_id uuid, since timestamptz, step_no int, expected text,
    found text)
  language sql
  stable
  set jit = off
as $$
  select o.type, o.blocked_versions, n.tasks, w.id, w.waiting_at, (a.error ->> 'step_no')::int, a.error ->> 'expected',
         a.error ->> 'found'
  from tenuto._blocked_routes() b
  join tenuto.routes o on o.id = b.route_id
  cross join lateral (
    select w.*
    from tenuto.waiting_tasks w
    where w.org_id = b.org_id and w.route_id = b.route_id and w.waits_for = 'code'
    order by w.seq
    limit 1) w
  cross join lateral (
    select count(*) as tasks
    from (select
          from tenuto.waiting_tasks c
          where c.org_id = b.org_id and c.route_id = b.route_id and c.waits_for = 'code'
          limit 10000) c) n
  left join tenuto.task_attempts a on a.task_id = w.id and a.end_no = w.attempt and a.outcome = 'blocked'
  where b.org_id = p_org_id
  order by w.waiting_at, w.id
  limit least(p_limit, 1000);
$$;
