-- queued | retrying -> cancelled, for the tasks of a queue that wait to start or to be retried, and for all tasks that
-- their cancel stops (_tasks_below). Cancels at most p_limit tasks of the queue, newest first. Running and waiting
-- tasks continue. To cancel more tasks, pass next_before as p_before in the next call. next_before is null if no tasks
-- remain. p_dry_run: returns the tasks, and changes nothing.
create or replace function tenuto.purge_queue(
  p_org_id uuid, p_queue text, p_reason text default null, p_before uuid default null, p_limit int default 200,
  p_dry_run boolean default false, out task_ids uuid[], out next_before uuid)
  language plpgsql
as $$
declare
  v_routes int[] := array(select o.id from tenuto.routes o where o.org_id = p_org_id and o.queue = p_queue);
begin
  perform tenuto._require_read_committed();
  perform tenuto._check_page(p_limit);
  perform tenuto._check_name('the reason of a cancellation', nullif(p_reason, ''), 1024);
  perform tenuto._check_known_queue(p_org_id, p_queue, 'list the queues to see which exist');
  task_ids := array(
    select o.id
    from (
      select o.id from tenuto._open_tasks(p_org_id, 'queued', v_routes, p_before, p_limit) o
      union all
      select o.id from tenuto._open_tasks(p_org_id, 'retrying', v_routes, p_before, p_limit) o
    ) o
    order by o.id desc
    limit p_limit);
  next_before := case when cardinality(task_ids) = p_limit then task_ids[p_limit] end;
  if not p_dry_run then
    perform tenuto._cancel_now(p_org_id, task_ids, 'task', p_reason);
    if cardinality(task_ids) > 0 then
      perform tenuto._audit(p_org_id, 'queue', p_queue, 'purge',
        jsonb_build_object('tasks', cardinality(task_ids), 'reason', p_reason));
    end if;
  end if;
end
$$;
