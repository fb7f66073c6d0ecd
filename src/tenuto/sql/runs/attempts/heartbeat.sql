-- Renews a session and compares the attempts that the worker lists with the attempts that the session holds. p_settled:
-- the worker has received, or given up on, the result of every claim up to this number. If an attempt of such a claim
-- is not listed, the worker does not know it: the task is queued again at its old position, and the attempt does not
-- count against max_attempts. An attempt that was claimed while the heartbeat was on its way has a higher claim number
-- and is not changed. If p_settled is null, attempts that are not listed are not searched for, which saves reading all
-- attempts of the session. Returns the listed attempts that are lost, the attempts that should stop, the newest route
-- (so that the worker notices new routes), and whether the worker is draining. p_logs: lines for the worker's log.
create or replace function tenuto.heartbeat(
  p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[], p_settled bigint default null,
  p_metrics jsonb default '{}', p_logs jsonb default null, out lost uuid[], out cancelled uuid[], out newest_route int,
  out draining boolean)
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_forgotten tenuto.running_tasks[];
begin
  perform tenuto._check_fences(p_task_ids, p_attempts, cardinality(p_task_ids));
  perform tenuto._renew_session(p_session_id, p_token, p_metrics, p_logs);

  with unlisted as materialized (
    select r.ctid as tid
    from tenuto.running_tasks r
    where r.session_id = p_session_id
      and r.claim_no <= p_settled
      -- `not in` uses a hash table, regardless of the statistics
      and (r.id, r.attempt) not in (select h.id, h.attempt from unnest(p_task_ids, p_attempts) as h(id, attempt))
    order by r.id
    for update skip locked
  ), gone as (
    delete from tenuto.running_tasks r where r.ctid = any (array(select tid from unlisted)) returning r as running
  )
  select array_agg(g.running) into v_forgotten from gone g;
  if v_forgotten is not null then
    perform tenuto._release_attempts(v_forgotten, 'forgotten', false);
  end if;

  select coalesce(array_agg(h.id) filter (where r.id is null), '{}'),
         coalesce(array_agg(h.id) filter (where r.cancel), '{}')
  into lost, cancelled
  from unnest(p_task_ids, p_attempts) as h(id, attempt)
  left join tenuto.running_tasks r on r.id = h.id and r.attempt = h.attempt and r.session_id = p_session_id;
  select coalesce(max(id), 0) into newest_route from tenuto.routes;
  select w.status = 'draining' into draining
  from tenuto.sessions s
  join tenuto.workers w on w.org_id = s.org_id and w.id = s.worker_id
  where s.id = p_session_id;
end
$$;
