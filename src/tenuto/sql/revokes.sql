-- The exceptions to grants.sql, which grants rights on all tables. They keep roles from writing tables without a
-- policy, reading secrets, changing the audit log, and accessing partitions other than through their parents.
do $$
declare
  v_table record;
begin
  -- Tables without an org have no policy. Only the installer writes them, except for the tables granted below.
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
  grant update on tenuto.arrival_floor, tenuto.due_floors to tenuto_dispatcher, tenuto_worker;
  grant update on tenuto.rollup_position to tenuto_dispatcher;
  grant insert, update on tenuto.sweep_positions to tenuto_dispatcher;

  -- Only backups can read all hashes and private keys in these tables; dispatchers can read the hashes of logins (see
  -- below). Other roles use functions that run as the owner: these compare a hash with the stored one, or return what
  -- the caller needs.
  for v_table in
    select c.oid::regclass as name, string_agg(quote_ident(a.attname), ', ') as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     and a.attname not in ('hash', 'bcrypt', 'private_key')
    where c.relnamespace = 'tenuto'::regnamespace
      and c.relname in ('api_keys', 'worker_keys', 'signing_keys', 'login_sessions', 'login_tokens')
    group by c.oid
  loop
    execute format('revoke all on %s from tenuto_worker, tenuto_client', v_table.name);
    execute format('revoke select on %s from tenuto_api, tenuto_dispatcher, tenuto_readonly', v_table.name);
    execute format('grant select (%s) on %s to tenuto_api, tenuto_dispatcher, tenuto_readonly', v_table.columns,
      v_table.name);
  end loop;

  -- Only dispatchers, which sign deliveries, and backups can read the encrypted secrets of destinations. Workers see
  -- only the names of destinations, and which of them are for OpenLineage.
  revoke all on tenuto.destinations from tenuto_worker, tenuto_client;
  revoke select on tenuto.destinations from tenuto_api, tenuto_readonly;
  grant select (org_id, name, url, openlineage, created_at, updated_at) on tenuto.destinations
  to tenuto_api, tenuto_readonly;
  grant select (org_id, name, openlineage) on tenuto.destinations to tenuto_worker;

  grant select on tenuto.login_sessions, tenuto.login_tokens to tenuto_dispatcher;   -- to delete expired rows

  -- Clients cannot read users and their actions. Clients and readers cannot read the tokens of sessions.
  revoke all on tenuto.users, tenuto.org_roles, tenuto.org_role_memberships, tenuto.idempotency_keys, tenuto.audit_log,
    tenuto.audit_unsealed, tenuto.audit_chains, tenuto.audit_heads
  from tenuto_client;
  -- A call by a client with a database connection adds its own row (_audit). The columns for the login, the address and
  -- the time have defaults that no role can replace, and only seal_audit removes rows.
  revoke all on tenuto.audit_arrivals from tenuto_client;
  revoke insert, update, delete, truncate on tenuto.audit_arrivals from tenuto_api, tenuto_dispatcher, tenuto_worker;
  grant insert (org_id, entity, entity_id, action, changes, old) on tenuto.audit_arrivals
  to tenuto_dispatcher, tenuto_worker, tenuto_client;
  for v_table in
    select string_agg(quote_ident(a.attname), ', ') as columns
    from pg_attribute a
    where a.attrelid = 'tenuto.sessions'::regclass and a.attnum > 0 and not a.attisdropped and a.attname <> 'token'
  loop
    revoke select on tenuto.sessions from tenuto_client, tenuto_readonly;
    execute format('grant select (%s) on tenuto.sessions to tenuto_client, tenuto_readonly', v_table.columns);
  end loop;

  -- The audit log is append-only, and its chain is written by seal_audit and record_head.
  revoke update, delete, truncate on tenuto.audit_log, tenuto.audit_unsealed
  from tenuto_api, tenuto_dispatcher, tenuto_worker;
  revoke insert, update, delete, truncate on tenuto.audit_chains, tenuto.audit_heads
  from tenuto_api, tenuto_dispatcher, tenuto_worker;

  -- Partitions are accessed only through their parents, whose policies apply.
  for v_table in
    select c.oid::regclass as name
    from pg_class c
    where c.relnamespace = 'tenuto'::regnamespace and c.relispartition and c.relkind = 'r'
  loop
    execute format('revoke all on %s from tenuto_api, tenuto_dispatcher, tenuto_worker, tenuto_client, tenuto_readonly',
      v_table.name);
  end loop;
end
$$;
