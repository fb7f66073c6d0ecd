-- -> active: returns the session of a worker that claims, and renews it. If the worker has none, opens a session with a
-- lease of ten minutes. Returns null for a worker that must not claim: draining, terminated, or marked as terminating
-- in its metadata.
create or replace function tenuto_compat._open_session(p_org_id uuid, p_worker_id text, out id bigint, out token uuid)
  language plpgsql
as $$
declare
  v_status text := tenuto.beat_worker(p_org_id, p_worker_id);   -- locks the row of the worker: one session per worker
  v_worker tenuto.workers;
begin
  select w.* into v_worker
  from tenuto.workers w
  where w.org_id = p_org_id
    and w.id = p_worker_id;
  if v_status in ('draining', 'terminated') or v_worker.metadata ->> 'orchestrator_status' = 'terminating' then
    return;
  end if;

  select s.id, s.token into id, token from tenuto_compat._find_session(p_org_id, p_worker_id) s;
  if id is not null then
    perform tenuto._renew_session(id, token, '{}');
  else
    select r.session_id, r.token
    into id, token
    from tenuto.register_worker(p_org_id, p_worker_id, v_worker.labels, v_worker.languages, v_worker.address,
      v_worker.instance_type, '{}', interval '10 minutes') r;
  end if;
end
$$;
