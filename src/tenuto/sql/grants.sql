-- The rights of each role. Applied after every migrate, so that a new table or function is never left open or without
-- a policy.
do $$
declare
  v_table record;
  v_function record;
  v_signing text[] := '{find_signing_key,list_signing_keys,add_signing_key}';
begin
  revoke all on all routines in schema tenuto from public;
  revoke all on schema tenuto from public;
  grant usage on schema tenuto to tenuto_api, tenuto_dispatcher, tenuto_worker, tenuto_readonly, tenuto_query;

  -- Functions run with the caller's rights, so that row security applies to it; partitions are created and dropped as
  -- the owner.
  grant execute on all routines in schema tenuto to tenuto_api, tenuto_dispatcher, tenuto_worker;
  grant select, insert, update, delete on all tables in schema tenuto to tenuto_api, tenuto_dispatcher, tenuto_worker;
  grant usage on all sequences in schema tenuto to tenuto_api, tenuto_dispatcher, tenuto_worker;
  grant select on all tables in schema tenuto to tenuto_readonly;

  -- A view calls its functions with the reader's rights. Functions that are not volatile cannot write.
  for v_function in
    select p.oid::regprocedure as name
    from pg_proc p
    where p.pronamespace = 'tenuto'::regnamespace and p.provolatile <> 'v'
  loop
    execute format('grant execute on function %s to tenuto_readonly', v_function.name);
  end loop;

  -- Functions that run as the owner bypass row security: each is granted only to the roles that need it. The API finds
  -- the caller before it knows the org; dispatchers create and drop partitions, seal the audit log and retire keys;
  -- both sign.
  for v_function in
    select p.oid::regprocedure as name, p.proname
    from pg_proc p
    where p.pronamespace = 'tenuto'::regnamespace and p.prosecdef
  loop
    execute format('revoke execute on function %s from tenuto_api, tenuto_dispatcher, tenuto_worker, tenuto_readonly',
      v_function.name);
    if v_function.proname = any ('{find_api_key,find_imported_keys,find_worker_key,find_user,find_login,close_login,'
      'use_login_token,get_change_horizon,index_recent_changes}' || v_signing) then
      execute format('grant execute on function %s to tenuto_api', v_function.name);
    end if;
    if v_function.proname = any ('{create_partitions,drop_partitions,prune_runs,_rows_to_prune,seal_audit,prune_audit,'
      'retire_signing_key,list_due_heads,record_head}' || v_signing) then
      execute format('grant execute on function %s to tenuto_dispatcher', v_function.name);
    end if;
  end loop;

  -- Tables without an org have no policy: only the installer writes them, and dispatchers record that they are alive.
  for v_table in
    select c.oid::regclass as name
    from pg_class c
    where c.relnamespace = 'tenuto'::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
      and c.relname <> 'orgs'
      and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id')
  loop
    execute format('revoke insert, update, delete on %s from tenuto_api, tenuto_dispatcher, tenuto_worker',
      v_table.name);
  end loop;
  grant insert, update, delete on tenuto.dispatchers, tenuto.loop_leases to tenuto_dispatcher;
  grant update on tenuto.arrival_floor to tenuto_dispatcher, tenuto_worker;

  -- No role reads the hashes and private keys: functions that run as the owner compare them.
  for v_table in
    select c.oid::regclass as name, string_agg(quote_ident(a.attname), ', ') as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     and a.attname not in ('hash', 'bcrypt', 'private_key')
    where c.relnamespace = 'tenuto'::regnamespace
      and c.relname in ('api_keys', 'worker_keys', 'signing_keys', 'login_sessions', 'login_tokens')
    group by c.oid
  loop
    execute format('revoke all on %s from tenuto_worker', v_table.name);
    execute format('revoke select on %s from tenuto_api, tenuto_dispatcher, tenuto_readonly', v_table.name);
    execute format('grant select (%s) on %s to tenuto_api, tenuto_dispatcher, tenuto_readonly', v_table.columns,
      v_table.name);
  end loop;

  grant select on tenuto.login_sessions, tenuto.login_tokens to tenuto_dispatcher;   -- which deletes expired ones

  -- The audit log is append-only, and its chain is written by seal_audit and record_head.
  revoke update, delete, truncate on tenuto.audit_log, tenuto.audit_unsealed
  from tenuto_api, tenuto_dispatcher, tenuto_worker;
  revoke insert, update, delete, truncate on tenuto.audit_chains, tenuto.audit_heads
  from tenuto_api, tenuto_dispatcher, tenuto_worker;

  -- Partitions are reached through their parents, whose policies apply.
  for v_table in
    select c.oid::regclass as name
    from pg_class c
    where c.relnamespace = 'tenuto'::regnamespace and c.relispartition and c.relkind = 'r'
  loop
    execute format('revoke all on %s from tenuto_api, tenuto_dispatcher, tenuto_worker, tenuto_readonly', v_table.name);
  end loop;
end
$$;
