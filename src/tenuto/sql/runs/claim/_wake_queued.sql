-- Wakes the workers of the queues of these queued tasks.
create or replace function tenuto._wake_queued(p_queued tenuto.queued_task[])
  returns void
  language sql
as $$
  select tenuto._wake(q.queue)
  from (select distinct o.queue
        from (select distinct c.route_id from unnest(p_queued) c) r
        join tenuto.routes o on o.id = r.route_id) q;
$$;
