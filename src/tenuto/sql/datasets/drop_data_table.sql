-- Drops the table of a purged version of a dataset that is stored in Postgres. Does nothing for other versions. Runs as
-- the owner, because only the owner may drop tables.
create or replace function tenuto.drop_data_table(p_org_id uuid, p_version_id uuid)
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform from tenuto.dataset_versions v
  where v.org_id = p_org_id and v.id = p_version_id and v.purged_at is not null and v.storage ->> 'kind' = 'postgres';
  if found then
    execute format('drop table if exists tenuto_data.%I', tenuto._data_table(p_version_id));
  end if;
end
$$;
