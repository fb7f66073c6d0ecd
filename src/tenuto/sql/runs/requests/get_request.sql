-- Returns the progress of the action (cancel, retry, delete) that dispatchers carry out on a large run, and the error
-- after which the action is parked. Returns no row if nothing is left to do. The request of a deleted run stays until
-- its tasks are deleted.
create or replace function tenuto.get_request(p_org_id uuid, p_run_id uuid)
  returns table (action text, requested_at timestamptz, done_tasks int, total_tasks int, error text)
  language sql
  stable
as $$
  select q.verb, q.requested_at, q.done, q.tasks,
         (select p.error
          from tenuto.parked_rows p
          where p.loop = 'advance_requests' and p.key = q.verb || ':' || q.run_id)
  from tenuto.run_requests q
  where q.run_id = p_run_id and q.org_id = p_org_id
  order by q.verb = 'retry' desc
  limit 1;
$$;
