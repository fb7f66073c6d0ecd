-- The rights of each role. Applied after every migration, so that new tables and functions get them too. Then
-- revokes.sql revokes the rights that a role must not have.
do $$
declare
  v_table record;
  v_function record;
  v_signing text[] := '{find_signing_key,list_signing_keys,add_signing_key}';
  -- A start inserts rows into these tables but changes none. send_signal and put_object also only insert.
  v_of_starts text[] := '{arrivals,close_requests,data_objects,data_references,dedupe_keys,delayed_tasks,held_runs,'
    'job_tasks,limit_slots,open_runs,pending_tasks,queues,ready_tasks,release_requests,routes,run_counts,run_deadlines,'
    'run_slots,runs,signals,task_dependencies,task_slots,tasks,waiting_tasks}';
begin
  revoke all on all routines in schema tenuto from public;
  revoke all on schema tenuto from public;
  grant usage on schema tenuto
  to tenuto_api, tenuto_dispatcher, tenuto_worker, tenuto_client, tenuto_readonly, tenuto_query, tenuto_backup;

  -- Functions run with the caller's rights, so that row security applies to the caller. Only a few run as the owner,
  -- such as those that create and drop partitions.
  grant execute on all routines in schema tenuto to tenuto_api, tenuto_dispatcher, tenuto_worker;
  grant select, insert, update, delete on all tables in schema tenuto to tenuto_api, tenuto_dispatcher, tenuto_worker;
  grant usage on all sequences in schema tenuto to tenuto_api, tenuto_dispatcher, tenuto_worker;
  grant select on all tables in schema tenuto to tenuto_readonly, tenuto_client;

  -- A view calls its functions with the reader's rights, so readers may execute all functions that cannot write: _raise
  -- and those that are not volatile.
  for v_function in
    select p.oid::regprocedure as name
    from pg_proc p
    where p.pronamespace = 'tenuto'::regnamespace and (p.provolatile <> 'v' or p.proname = '_raise')
  loop
    execute format('grant execute on function %s to tenuto_readonly, tenuto_client', v_function.name);
  end loop;

  -- Clients start tasks and jobs, open, close and release runs, send signals, store data objects and read. They cannot
  -- claim, cancel, retry or delete.
  for v_function in
    select p.oid::regprocedure as name
    from pg_proc p
    where p.pronamespace = 'tenuto'::regnamespace
      and (p.proname like '\_%' or p.proname in (
        'start_task', 'start_many', 'start_run', 'trigger_job', 'open_run', 'add_tasks', 'close_run', 'release_run',
        'send_signal', 'put_object', 'reference_object', 'poll_runs'))
  loop
    execute format('grant execute on routine %s to tenuto_client', v_function.name);
  end loop;
  for v_table in
    select ('tenuto.' || quote_ident(name))::regclass as name from unnest(v_of_starts) name
  loop
    execute format('grant insert on %s to tenuto_client', v_table.name);
  end loop;
  -- Clients need this right to lock a queue while its first route is created, and an open or held run while tasks are
  -- added to it. The policy clients_change_no_rows refuses the update itself.
  grant update (org_id) on tenuto.queues, tenuto.open_runs, tenuto.held_runs to tenuto_client;
  grant usage on all sequences in schema tenuto to tenuto_client;

  -- pg_dump reads every table, partition and sequence, including those that are created later.
  grant select on all tables in schema tenuto to tenuto_backup;
  grant select on all sequences in schema tenuto to tenuto_backup;
  alter default privileges in schema tenuto grant select on tables to tenuto_backup;
  alter default privileges in schema tenuto grant select on sequences to tenuto_backup;

  -- Dispatchers vacuum the hot tables. Before Postgres 17, only the owner of a table can vacuum it.
  if current_setting('server_version_num')::int >= 170000 then
    execute 'grant maintain on tenuto.ready_tasks, tenuto.running_tasks, tenuto.pending_tasks, tenuto.delayed_tasks, '
      'tenuto.waiting_tasks, tenuto.run_counts, tenuto.arrivals to tenuto_dispatcher';
  end if;

  -- Functions that run as the owner bypass row security: each is granted only to the roles that need it. The API finds
  -- the caller before it knows the org, and finds rows of the caller's org by metadata. Dispatchers create and drop
  -- partitions, seal the audit log, retire keys and drop tables of purged datasets. The API and dispatchers read
  -- signing keys and the change horizon. All roles that start runs check that no task of another org has the same id.
  -- All roles that deploy create tables of datasets. Dispatchers record their object store.
  for v_function in
    select p.oid::regprocedure as name, p.proname
    from pg_proc p
    where p.pronamespace = 'tenuto'::regnamespace and p.prosecdef
  loop
    execute format('revoke execute on function %s from tenuto_api, tenuto_dispatcher, tenuto_worker, tenuto_client, '
      'tenuto_readonly', v_function.name);
    if v_function.proname = any ('{find_api_key,find_imported_keys,find_worker_key,find_user,find_login,close_login,'
      'use_login_token,get_change_horizon,index_recent_changes,_find_as_owner}' || v_signing) then
      execute format('grant execute on function %s to tenuto_api', v_function.name);
    end if;
    if v_function.proname = any ('{create_partitions,drop_partitions,prune_runs,_rows_to_prune,prune_events,'
      '_old_events,seal_audit,prune_audit,retire_signing_key,list_due_heads,record_head,drop_data_table,'
      'get_change_horizon,record_store}' || v_signing) then
      execute format('grant execute on function %s to tenuto_dispatcher', v_function.name);
    end if;
    if v_function.proname = '_refuse_used_ids' then
      execute format('grant execute on function %s to tenuto_api, tenuto_dispatcher, tenuto_worker, tenuto_client',
        v_function.name);
    end if;
    if v_function.proname = '_create_data_tables' then
      execute format('grant execute on function %s to tenuto_api, tenuto_dispatcher, tenuto_worker', v_function.name);
    end if;
  end loop;
end
$$;
