-- -> queued (a graph: -> pending). Starts one run for one request of an API key or user: checks the caller, starts the
-- run and writes the audit entry. Without p_run, starts a single-task run with p_dedupe_key and p_group, as start_many
-- does. With p_run, starts a run with the parameters of start_run. For a dedupe key that is already used, returns the
-- run that has the key and created = false, and writes no audit entry.
create or replace function tenuto.start_run_for_request(
  p_kinds jsonb, p_inputs jsonb[], p_changes jsonb, p_actor_kind text, p_actor_id text, p_ip text default null,
  p_user_agent text default null, p_request_id text default null, p_run jsonb default null,
  p_task_kinds int[] default null, p_details jsonb default null, p_edges jsonb default null,
  p_dedupe_key text default null, p_group text default null, p_key_id text default null,
  p_hashes bytea[] default null, p_permission text default null, p_org_id uuid default null,
  p_user_id uuid default null, p_platform_role text default null)
  returns table (run_id uuid, created boolean)
  language plpgsql
as $$
declare
  v_org_id uuid;
begin
  if p_key_id is not null then
    v_org_id := tenuto.act_as_api_key(p_key_id, p_hashes, p_permission);
  else
    v_org_id := tenuto.act_as_user(p_org_id, p_user_id, p_platform_role);
  end if;

  if p_run is null then
    select s.run_id, s.created into strict run_id, created
    from tenuto.start_many(v_org_id, p_kinds, p_inputs, null, null, p_details,
      case when p_dedupe_key is not null then array[p_dedupe_key] end, p_group) s;
  else
    select s.run_id, s.created into strict run_id, created
    from tenuto.start_run(v_org_id, p_run, p_kinds, p_inputs, null, p_task_kinds, p_details, p_edges) s;
  end if;

  if created then
    perform tenuto.write_audit(v_org_id, 'run', run_id::text, 'start', p_actor_kind, p_actor_id, p_changes, p_ip,
      p_user_agent, p_request_id);
  end if;
  return next;
end
$$;
