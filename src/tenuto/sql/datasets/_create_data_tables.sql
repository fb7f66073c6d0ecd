-- Creates the tables of those datasets of a DAG version that are stored in Postgres, with the columns of their outputs.
-- Tables that exist stay. Runs as the owner, because no other role may create tables. Creates only tables of versions
-- that are registered already, so that a caller can do no harm with the id of another org. Raises TN003 if an output
-- has no columns, or for more than 500 tables.
create or replace function tenuto._create_data_tables(p_org_id uuid, p_dag_version_id uuid)
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_version record;
  v_table text;
  v_count int := 0;
begin
  for v_version in
    select v.id, s.name, j.definition #> array['outputs', s.output::text, 'columns'] as columns
    from tenuto.dag_version_datasets s
    join tenuto.dataset_versions v on v.org_id = s.org_id and v.id = s.dataset_version_id
    join tenuto.jobs j on j.org_id = s.org_id and j.dag_version_id = s.dag_version_id and j.job_key = s.job_key
    where s.org_id = p_org_id and s.dag_version_id = p_dag_version_id
      and v.purged_at is null
      and v.storage ->> 'kind' = 'postgres'
      and to_regclass('tenuto_data.' || tenuto._data_table(v.id)) is null
    order by v.id
  loop
    v_count := v_count + 1;
    if v_count > 500 then   -- each table holds some locks until the deploy ends
      perform tenuto._raise('TN003', 'a deploy creates at most 500 tables for datasets', 'deploy fewer jobs first');
    elsif jsonb_typeof(v_version.columns) is distinct from 'array' then
      perform tenuto._raise('TN003', format('dataset %s in Postgres needs its columns', v_version.name),
        'write the columns of the output');
    end if;
    v_table := 'tenuto_data.' || quote_ident(tenuto._data_table(v_version.id));
    execute format(
      'create table %s (".set_id" uuid not null, ".page" int not null, ".row" int not null, %s, '
      'constraint %I primary key (".set_id", ".page", ".row"))',
      v_table,
      (select string_agg(format('%I %s%s', c.value ->> 'name', tenuto._column_type(c.value ->> 'type'),
                case when c.value -> 'not_null' = 'true' then ' not null' end), ', ' order by c.no)
       from jsonb_array_elements(v_version.columns) with ordinality c(value, no)),
      tenuto._data_table(v_version.id) || '_pkey');
    execute format('comment on table %s is %L', v_table, 'dataset ' || v_version.name);
    execute format('alter table %s enable row level security, force row level security', v_table);
    execute format(
      'create policy an_org_sees_its_own_rows on %s to tenuto_api '
      'using ((select tenuto._org_id()) = %L) with check ((select tenuto._org_id()) = %L)',
      v_table, p_org_id, p_org_id);
    execute format(
      'create policy trusted_roles_see_all on %s '
      'to tenuto_owner, tenuto_dispatcher, tenuto_worker, tenuto_backup using (true) with check (true)',
      v_table);
  end loop;
end
$$;
