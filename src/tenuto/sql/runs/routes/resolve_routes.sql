-- Returns the routes that a worker serves: routes of its queues (null: all) and types (null: all) whose labels it has,
-- whose language it supports, whose data is at its address, and whose tasks its code can continue. Creates the routes
-- of the queues and types that are passed, so that a first start does not have to create them. Routes of jobs are
-- created only by jobs, because a worker has one more type for every function that jobs can run.
create or replace function tenuto.resolve_routes(
  p_session_id bigint, p_queues text[] default null, p_types text[] default null)
  returns table (route_id int, queue text, type text, language text, labels text[])
  language plpgsql
as $$
declare
  v_worker tenuto.workers;
  v_created text[] := array(select t from unnest(p_types) t where not starts_with(t, 'tenuto.'));
begin
  select w.* into v_worker
  from tenuto.sessions s
  join tenuto.workers w on w.org_id = s.org_id and w.id = s.worker_id
  where s.id = p_session_id;
  if not found then
    perform tenuto._raise('TN001', format('no session %s', p_session_id));
  end if;

  perform tenuto._check_names('the queues of a worker', p_queues, 1000);
  perform tenuto._check_queue_name('one of the queues of a worker', q) from unnest(p_queues) q;
  perform tenuto._check_names('the types of a worker', p_types, 2500);
  if cardinality(p_queues) * cardinality(v_created) > 10000 then
    perform tenuto._raise('TN003',
      format('%s queues with %s types make more than 10,000 routes', cardinality(p_queues), cardinality(v_created)),
      'leave out the types to serve all types of a queue');
  end if;
  perform tenuto._intern_route(v_worker.org_id, q, t, v_worker.languages[1], '{}')
  from unnest(p_queues) q, unnest(v_created) t;

  return query
  select r.id, r.queue, r.type, r.language, r.labels
  from tenuto._served_routes(v_worker, p_queues, p_types) r
  order by r.id;
end
$$;
