-- running -> completed and queued -> running for a worker that connects by HTTP. Calls complete_and_claim for a session
-- of the worker's key, and claims only from the queues of this session. The claimed tasks and the rejected reports are
-- returned as the JSON of the response. p_types: only tasks of these types (null: all). p_published: as in
-- complete_tasks; it is the last parameter because it was added later.
create or replace function tenuto.exchange_tasks(
  p_org_id uuid, p_worker_key_id uuid, p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[],
  p_outputs jsonb[], p_claim_no bigint, p_limit int, p_types text[] default null, p_group text default null,
  out tasks text, out rejected_reports text, out claimed int, out session_ended boolean, out queues text[],
  p_published jsonb[] default null)
  language plpgsql
as $$
declare
  v_session tenuto.sessions := tenuto._key_session(p_org_id, p_worker_key_id, p_session_id, p_token);
  v_routes int[];
begin
  queues := v_session.queues;
  if p_limit > 0 then
    v_routes := array(
      select r.id
      from tenuto.workers w
      cross join lateral tenuto._served_routes(w, v_session.queues, p_types) r
      where w.org_id = v_session.org_id and w.id = v_session.worker_id);
  end if;

  select coalesce(
           json_agg(json_build_object(
             'task_id', x.task_id, 'attempt', x.attempt, 'run_id', x.run_id,
             'type', (select r.type from tenuto.routes r where r.id = x.route_id), 'input', x.input, 'slots', x.slots,
             'timeout_seconds', x.timeout_seconds, 'metadata', x.metadata,
             'idempotency_key', coalesce(x.root_id, x.task_id))
             order by x.ordinality)
           filter (where x.result is null),
           '[]'),
         coalesce(
           json_agg(json_build_object('task_id', x.task_id, 'attempt', x.attempt, 'result', x.result))
           filter (where x.result is not null and x.task_id is not null),
           '[]'),
         count(*) filter (where x.result is null),
         coalesce(bool_or(x.result = 'session_ended'), false)
  into tasks, rejected_reports, claimed, session_ended
  from tenuto.complete_and_claim(
    p_session_id, p_token, p_task_ids, p_attempts, p_outputs, p_claim_no, v_routes, p_limit, null, p_group,
    p_published) with ordinality x;
end
$$;
