-- Returns true if the org sets wider_readers to deny: a role that can read a dataset must be able to read the sources
-- of this dataset. In this case, also takes a lock: no other transaction of the org can change the readers or the
-- sources of a dataset until this one ends.
create or replace function tenuto._lock_readers(p_org_id uuid)
  returns boolean
  language plpgsql
as $$
begin
  perform tenuto._require_read_committed();
  if not exists (select from tenuto.orgs o where o.id = p_org_id and o.settings ->> 'wider_readers' = 'deny') then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('tenuto readers ' || p_org_id, 0));
  return true;
end
$$;
