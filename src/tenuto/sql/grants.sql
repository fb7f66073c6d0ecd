-- Who may do what. Applied after every migrate, so that a new table or function is never left open or without a policy.
do $$
declare
  v_table record;
  v_function record;
begin
  revoke all on all functions in schema tenuto from public;
  revoke all on schema tenuto from public;
  grant usage on schema tenuto to tenuto_api, tenuto_dispatcher, tenuto_worker, tenuto_readonly, tenuto_query;

  -- Functions run with the caller's rights, so that row security binds it; partitions are made and dropped as the owner.
  grant execute on all functions in schema tenuto to tenuto_api, tenuto_dispatcher, tenuto_worker;
  grant select, insert, update, delete on all tables in schema tenuto to tenuto_api, tenuto_dispatcher, tenuto_worker;
  grant usage on all sequences in schema tenuto to tenuto_api, tenuto_dispatcher, tenuto_worker;
  grant select on all tables in schema tenuto to tenuto_readonly;

  -- A view calls its functions with the reader's rights. Those that are not volatile cannot write.
  for v_function in
    select p.oid::regprocedure as name from pg_proc p where p.pronamespace = 'tenuto'::regnamespace and p.provolatile <> 'v'
  loop
    execute format('grant execute on function %s to tenuto_readonly', v_function.name);
  end loop;

  -- What runs as the owner passes row security and drops tables: that is for dispatchers.
  for v_function in
    select p.oid::regprocedure as name from pg_proc p where p.pronamespace = 'tenuto'::regnamespace and p.prosecdef
  loop
    execute format('revoke execute on function %s from tenuto_api, tenuto_worker', v_function.name);
  end loop;

  -- What belongs to no org has no policy: the installer alone writes it, and dispatchers say that they live.
  for v_table in
    select c.oid::regclass as name
    from pg_class c
    where c.relnamespace = 'tenuto'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'orgs'
      and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id')
  loop
    execute format('revoke insert, update, delete on %s from tenuto_api, tenuto_dispatcher, tenuto_worker', v_table.name);
  end loop;
  grant insert, update, delete on tenuto.dispatchers to tenuto_dispatcher;

  -- Partitions are reached through their parents, whose policies apply.
  for v_table in
    select c.oid::regclass as name
    from pg_class c
    where c.relnamespace = 'tenuto'::regnamespace and c.relispartition and c.relkind = 'r'
  loop
    execute format('revoke all on %s from tenuto_api, tenuto_dispatcher, tenuto_worker, tenuto_readonly', v_table.name);
  end loop;

  for v_table in
    select c.oid::regclass as name, a.attname as org_column
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
     and a.attname = case when c.relname = 'orgs' then 'id' else 'org_id' end
    where c.relnamespace = 'tenuto'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  loop
    execute format('alter table %s enable row level security', v_table.name);
    execute format('alter table %s force row level security', v_table.name);
    execute format('drop policy if exists an_org_sees_its_own_rows on %s', v_table.name);
    execute format('drop policy if exists trusted_roles_see_all on %s', v_table.name);
    -- A setting made for one transaction is an empty text after it, which is no org either.
    execute format(
      'create policy an_org_sees_its_own_rows on %s to tenuto_api, tenuto_readonly, tenuto_query '
      'using (%I = (select nullif(current_setting(''tenuto.org_id'', true), '''')::uuid)) '
      'with check (%I = (select nullif(current_setting(''tenuto.org_id'', true), '''')::uuid))',
      v_table.name, v_table.org_column, v_table.org_column);
    execute format('create policy trusted_roles_see_all on %s to tenuto_owner, tenuto_dispatcher, tenuto_worker using (true) with check (true)', v_table.name);
  end loop;
end
$$;
