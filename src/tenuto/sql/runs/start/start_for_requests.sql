-- -> queued: starts single-task runs of one kind for several requests of one API key or user. Checks the caller, writes
-- the audit entries with the origin of each request and wakes workers. All this happens before the first commit, which
-- does not wait for the disk. The second commit waits until both commits are on disk (see start_task). Cannot be called
-- inside a transaction.
create or replace procedure tenuto.start_for_requests(
  p_kinds jsonb, p_inputs jsonb[], p_ids uuid[], p_changes jsonb, p_actor_kind text, p_actor_id text, p_ips text[],
  p_user_agents text[], p_request_ids text[], p_details jsonb default null, p_group text default null,
  p_key_id text default null, p_hashes bytea[] default null, p_permission text default null, p_org_id uuid default null,
  p_user_id uuid default null, p_platform_role text default null)
  language plpgsql
as $$
declare
  v_org_id uuid;
begin
  if current_setting('transaction_isolation') <> 'read committed' then   -- the default of a pooler's connection
    commit;
    set transaction isolation level read committed;
  end if;
  set local synchronous_commit = off;
  if p_key_id is not null then
    v_org_id := tenuto.act_as_api_key(p_key_id, p_hashes, p_permission);
  else
    v_org_id := tenuto.act_as_user(p_org_id, p_user_id, p_platform_role);
  end if;
  perform from tenuto.start_many(v_org_id, p_kinds, p_inputs, p_ids, null, p_details, null, p_group);
  perform tenuto._write_audits(v_org_id, 'run', p_ids::text[], 'start', p_actor_kind, p_actor_id, p_changes, p_ips,
    p_user_agents, p_request_ids);
  commit;
  perform pg_logical_emit_message(true, 'tenuto', '');
end
$$;
