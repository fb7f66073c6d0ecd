-- Lists every task that neither runs nor has ended, and why. Always filter by task, queue or type, because the reason
-- of each row is looked up separately.
create or replace view tenuto.why_not_running
  with (security_invoker = true)
as
select w.task_id, w.org_id, w.run_id, o.queue, o.type, w.status, w.since, w.reason
from (
  select r.id as task_id, r.org_id, r.run_id, r.route_id, 'queued' as status, r.queued_at as since,
         tenuto._why_ready(r) as reason
  from tenuto.ready_tasks r
  union all
  select d.id, d.org_id, d.run_id, d.route_id, case d.reason when 'retry' then 'retrying' else 'queued' end, null,
         tenuto._why_delayed(d)
  from tenuto.delayed_tasks d
  union all
  select w.id, w.org_id, w.run_id, w.route_id, case w.waits_for when 'limit' then 'queued' else 'waiting' end,
         w.waiting_at, tenuto._why_waiting(w)
  from tenuto.waiting_tasks w
  union all
  select p.id, p.org_id, p.run_id, p.route_id, 'pending', null, tenuto._why_pending(p)
  from tenuto.pending_tasks p
) w
join tenuto.routes o on o.id = w.route_id;
