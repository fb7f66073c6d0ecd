-- Returns whether the org denies datasets with more readers than their sources. If so, until the transaction ends no
-- other one of the org changes who reads a dataset, or from what a dataset is computed.
create or replace function tenuto._lock_readers(p_org_id uuid)
  returns boolean
  language plpgsql
as $$
begin
  if not exists (select from tenuto.orgs o where o.id = p_org_id and o.settings ->> 'wider_readers' = 'deny') then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('tenuto readers ' || p_org_id, 0));
  return true;
end
$$;
