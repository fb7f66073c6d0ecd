-- Records that the dispatchers of this installation use an object store, up to 100 stores. An admin who adopts a copy
-- of the database is then told which store the original uses. Records nothing on a copy that is not adopted. Runs as
-- the owner, because no other role writes this table.
create or replace function tenuto.record_store(p_root text)
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform tenuto._check_name('the URI of an object store', p_root, 4096);
  if tenuto._copy_problem(null, p_root) is null then
    update tenuto.installation_marks m
    set stores = m.stores || p_root
    where p_root <> all (m.stores)
      and cardinality(m.stores) < 100;
  end if;
end
$$;
