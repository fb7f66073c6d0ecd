-- -> active, with a new session. If the worker id has an open session, that session ends: a process that still sends
-- heartbeats for that session gets an error, and expire_attempts ends the attempts of the session. p_worker_key_id: the
-- key of a worker that connects by HTTP. The session then belongs to that key and claims from p_queues (null: all),
-- which the key must allow. p_metadata can name the processes of the worker: {"process": {"host": …, "ids": [process,
-- …]}}. A dispatcher on the same host ends the lease when all of them have ended. Raises TN012 on a copy of the
-- database, on which nothing runs (_copy_problem).
create or replace function tenuto.register_worker(
  p_org_id uuid, p_worker_id text,
  p_labels text[] default '{}', p_languages text[] default '{python}', p_address text default null,
  p_instance_type text default 'worker', p_metadata jsonb default '{}', p_lease interval default '60 seconds',
  p_worker_key_id uuid default null, p_queues text[] default null,
  out session_id bigint, out token uuid, out org text,
  p_installation text default null, p_store text default null)
  language plpgsql
as $$
begin
  perform tenuto._check_worker(p_worker_id, p_instance_type, p_metadata);
  perform tenuto._check_name('the address of a worker', p_address);
  perform tenuto._check_names('the labels of a worker', p_labels);
  perform tenuto._check_names('the languages of a worker', p_languages);
  if extract(epoch from p_lease) not between 1 and 86400 then
    perform tenuto._raise('TN003', format('lease %s is not between 1 second and 1 day', p_lease));
  end if;
  if coalesce(cardinality(p_languages), 0) = 0 then
    perform tenuto._raise('TN003', 'a worker needs at least one language');
  end if;
  perform tenuto._refuse_copy(p_installation, p_store);

  insert into tenuto.workers (org_id, id, instance_type, status, address, labels, languages, metadata, created_at,
    last_heartbeat)
  values (p_org_id, p_worker_id, p_instance_type, 'active', p_address, p_labels, p_languages, p_metadata - 'process',
    tenuto.now(), tenuto.now())
  on conflict (org_id, id) do update
    set status = 'active',
        instance_type = excluded.instance_type,
        address = excluded.address,
        labels = excluded.labels,
        languages = excluded.languages,
        metadata = tenuto._merge_metadata(workers.metadata, excluded.metadata),
        last_heartbeat = excluded.last_heartbeat,
        drained_at = null,
        drain_reason = null,
        error = null,
        error_at = null,
        terminated_at = null;

  if p_worker_key_id is not null then
    perform tenuto._check_worker_key(p_org_id, p_worker_key_id, p_worker_id, p_queues);
  end if;
  if p_metadata ? 'machine' then
    perform tenuto._join_machine(p_org_id, p_worker_id, p_metadata ->> 'machine');
  end if;
  perform tenuto._end_sessions(p_org_id, p_worker_id, 'replaced');

  insert into tenuto.sessions
    (org_id, worker_id, token, lease_seconds, started_at, expires_at, worker_key_id, queues, code_version, process)
  values (p_org_id, p_worker_id, gen_random_uuid(), extract(epoch from p_lease), tenuto.now(), tenuto.now() + p_lease,
    p_worker_key_id, p_queues, left(p_metadata ->> 'code_version', 64),
    case when jsonb_typeof(p_metadata -> 'process') = 'object' and octet_length(p_metadata ->> 'process') <= 400
         then p_metadata -> 'process' end)
  returning sessions.id, sessions.token into session_id, token;
  org := (select o.slug from tenuto.orgs o where o.id = p_org_id);
end
$$;
