-- Row security on every table with an org: servers, readers and queries see only the rows of their org, trusted roles
-- see all rows. Row security is forced, so that it applies to the owner too. Applied with the grants, after every
-- migration.
do $$
declare
  v_table record;
begin
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
    execute format('drop policy if exists clients_change_no_rows on %s', v_table.name);
    execute format(
      'create policy an_org_sees_its_own_rows on %s to tenuto_api, tenuto_readonly, tenuto_query '
      'using (%I = (select tenuto._org_id())) with check (%I = (select tenuto._org_id()))',
      v_table.name, v_table.org_column, v_table.org_column);
    execute format(
      'create policy trusted_roles_see_all on %s '
      'to tenuto_owner, tenuto_dispatcher, tenuto_worker, tenuto_client, tenuto_backup '
      'using (true) with check (true)',
      v_table.name);
    -- Clients lock rows, which needs the right to update a column. Postgres checks a lock only against "using", so the
    -- lock is allowed. Postgres checks an update also against "with check", so the update fails.
    execute format(
      'create policy clients_change_no_rows on %s as restrictive for update to tenuto_client '
      'using (true) with check (false)',
      v_table.name);
  end loop;
end
$$;
