-- queued -> running: claims a ready task of the org for a worker of Headless-WGP: the oldest one of the highest
-- priority. Returns no row if there is none. The first claim opens a session with a lease of ten minutes, which claims
-- and heartbeats renew. A worker that is draining, terminated or marked as terminating gets no task.
create or replace function tenuto_compat.func_claim_available_task(worker_id_param text)
  returns table (
    id uuid, status text, attempts int, worker_id text, generation_started_at timestamptz, task_data jsonb,
    created_at timestamptz, task_type text)
  language plpgsql
as $$
#variable_conflict use_column
declare
  v_org_id uuid := tenuto_compat._org_id();
  v_session record := tenuto_compat._open_session(v_org_id, worker_id_param);
  v_task_id uuid;
begin
  if v_session.id is null then
    return;
  end if;
  v_task_id := tenuto_compat._claim_oldest(v_org_id, worker_id_param, v_session.id, v_session.token);
  return query
  select t.id, 'In Progress', f.failures + f.losses, worker_id_param, r.started_at, coalesce(t.input, '{}'),
         t.created_at, o.type
  from tenuto.running_tasks r
  join tenuto.tasks t on t.id = r.id
  join tenuto.routes o on o.id = r.route_id
  cross join lateral tenuto._count_failures(r.id) f
  where r.id = v_task_id;
end
$$;
