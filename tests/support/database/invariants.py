"""Queries for what must hold in the tables at any moment."""

import psycopg

# What each row must be by itself; no check constraints say so (docs/adr/0087).
WRONG_ROWS = """
select format('run %s has status %s, pending status %s, attempt %s of %s, total %s, completed at %s, next retry at %s',
              id, status, pending_status, attempt, max_attempts, total, completed_at, next_retry_at)
from tenuto.runs
where status not in ('pending', 'running', 'retrying', 'completed', 'failed', 'cancelled')
   or pending_status not in ('completed', 'failed', 'cancelled')
   or attempt not between 1 and max_attempts or max_attempts > 100
   or single_task <> (status is null) or single_task <> (total is null)
   or (status in ('completed', 'failed', 'cancelled')) <> (completed_at is not null)
   or (status = 'retrying') <> (next_retry_at is not null)
union all
select format('task %s has max_attempts %s, max_losses %s, backoff %s, timeouts %s and %s, handler %s', id,
              max_attempts, max_losses, backoff_seconds, timeout_seconds, heartbeat_timeout_seconds, handler)
from tenuto.tasks
where max_attempts not between 1 and 100 or max_losses not between 1 and 1000 or backoff_seconds < 0
   or timeout_seconds <= 0 or heartbeat_timeout_seconds <= 0 or handler not in ('completed', 'failed', 'cancelled')
union all
select format('attempt %s of task %s is %s, end %s, reported %s by session %s', attempt, task_id, outcome, end_no,
              reported, session_id)
from tenuto.task_attempts
where outcome not in ('completed', 'failed', 'cancelled', 'skipped', 'lost', 'retrying', 'snoozed', 'interrupted',
                      'waiting', 'forgotten', 'blocked')
   or end_no not in (0, attempt)
   or (end_no = 0) <> (outcome in ('completed', 'failed', 'cancelled', 'skipped'))
   or reported and session_id is null
union all
select format('task %s depends on task %s on %s', child_id, parent_id, runs_on)
from tenuto.task_dependencies
where parent_id = child_id or runs_on not in ('completed', 'failed', 'continue')
"""

BROKEN = (
    """
with place as (
  select id, 'running' as place from tenuto.running_tasks
  union all select id, 'ready' from tenuto.ready_tasks
  union all select id, 'pending' from tenuto.pending_tasks
  union all select id, 'waiting' from tenuto.waiting_tasks
  union all select id, 'delayed' from tenuto.delayed_tasks
  union all select task_id, 'final' from tenuto.task_attempts where end_no = 0
), open as (
  select id from place where place <> 'final'
), delta as (
  select run_id, sum(added) as added, sum(completed) as completed, sum(failed) as failed, sum(cancelled) as cancelled,
         sum(skipped) as skipped
  from tenuto.run_counts group by run_id
), recount as (
  select t.run_id, count(*) as total,
         count(*) filter (where a.outcome = 'completed') as completed,
         count(*) filter (where a.outcome = 'failed') as failed,
         count(*) filter (where a.outcome = 'cancelled') as cancelled,
         count(*) filter (where a.outcome = 'skipped') as skipped
  from tenuto.tasks t
  left join tenuto.task_attempts a on a.task_id = t.id and a.end_no = 0
  group by t.run_id
)
select format('task %s is in %s places: %s', coalesce(t.id, p.id), count(p.place), array_agg(p.place))
from tenuto.tasks t full join place p on p.id = t.id
group by t.id, p.id
having count(p.place) <> 1 or t.id is null
union all
select format('run %s counts %s, its tasks are %s', r.id,
              (r.total, r.completed, r.failed, r.cancelled, r.skipped),
              (c.total, c.completed, c.failed, c.cancelled, c.skipped))
from tenuto.runs r
join recount c on c.run_id = r.id
left join delta d on d.run_id = r.id
where not r.single_task and r.max_attempts = 1
  and r.deleted_tasks is null
  and (r.total + coalesce(d.added, 0) - (select count(*) from tenuto.open_runs o where o.run_id = r.id),
       r.completed + coalesce(d.completed, 0), r.failed + coalesce(d.failed, 0),
       r.cancelled + coalesce(d.cancelled, 0), r.skipped + coalesce(d.skipped, 0))
      <> (c.total, c.completed, c.failed, c.cancelled, c.skipped)
union all
select format('run %s is %s with open tasks', r.id, r.status)
from tenuto.runs r
where r.status in ('completed', 'failed', 'cancelled')
  and exists (select from tenuto.tasks t join open o on o.id = t.id where t.run_id = r.id)
union all
select format('pending task %s counts %s of %s open dependencies', p.id, p.remaining, n.n)
from tenuto.pending_tasks p
cross join lateral (
  select count(*) + (p.handler is not null)::int + coalesce(p.held, false)::int as n
  from tenuto.task_dependencies d join open o on o.id = d.parent_id where d.child_id = p.id
) n
where p.remaining <> n.n
union all
select format('waiting task %s counts %s of %s awaited children', w.id, w.remaining, n.n)
from tenuto.waiting_tasks w
cross join lateral (
  select count(*) as n from tenuto.awaited_tasks a join open o on o.id = a.id where a.parent_id = w.id
) n
where w.waits_for = 'children' and (w.remaining <> n.n or n.n = 0)
union all
select format('parent %s counts %s of %s open children', p.id, p.open, n.n)
from tenuto.task_parents p
cross join lateral (select count(*) as n from tenuto.tasks t join open o on o.id = t.id where t.parent_id = p.id) n
where p.open <> n.n
union all
select format('limit %s of %s is held %s times', l.key, l.size, n.n)
from tenuto.limits l
cross join lateral (select count(*) as n from tenuto.limit_slots s where s.limit_id = l.id) n
where n.n > l.size
union all
select format('task %s holds a slot of limit %s, which has no row', s.task_id, s.limit_id)
from tenuto.limit_slots s
where not exists (select from tenuto.limits l where l.id = s.limit_id and l.org_id = s.org_id)
union all
select format('group %s runs %s of %s', g.external_id, n.n, g.quota)
from tenuto.resource_groups g
cross join lateral (select count(*) as n from tenuto.running_tasks r where r.group_no = g.no) n
where n.n > g.quota
union all
select format('partition %s of version %s does not show its newest task', c.partition_key, c.dataset_version_id)
from tenuto.current_partitions c
left join lateral (
  select v.id, v.task_id
  from tenuto.partition_versions v
  where v.dataset_version_id = c.dataset_version_id and v.partition_key = c.partition_key
  order by v.task_id desc
  limit 1
) v on true
where (v.id, v.task_id) is distinct from (c.partition_version_id, c.task_id)
union all
select format('%s of task %s, which has not completed', v.location, v.task_id)
from tenuto.partition_versions v
join tenuto.tasks t on t.id = v.task_id
where not exists (
  select from tenuto.task_attempts a
  where a.task_id = v.task_id and a.end_no = 0 and a.outcome = 'completed' and a.attempt = v.attempt)
union all
select format('task %s has the flags %s and %s job', p.id, p.flags, count(j.task_id))
from (
  select id, flags from tenuto.running_tasks
  union all select id, flags from tenuto.ready_tasks
  union all select id, flags from tenuto.pending_tasks
  union all select id, flags from tenuto.waiting_tasks
  union all select id, flags from tenuto.delayed_tasks
) p
left join tenuto.job_tasks j on j.task_id = p.id
where (p.flags & 32 > 0) <> (j.task_id is not null)
group by p.id, p.flags
union all
"""
    + WRONG_ROWS
)


def assert_invariants(db: psycopg.Connection) -> None:
    broken = [row[0] for row in db.execute(BROKEN).fetchall()]
    assert broken == []


def assert_rows_are_right(db: psycopg.Connection) -> None:
    wrong = [row[0] for row in db.execute(WRONG_ROWS, prepare=True).fetchall()]
    assert wrong == []
