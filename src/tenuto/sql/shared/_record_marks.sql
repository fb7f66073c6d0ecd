-- Records that this database is an installation of its own. p_moved: it continues the installation that it was copied
-- from, with the same object stores. Otherwise the stores of the original become foreign ones, except p_store.
create or replace function tenuto._record_marks(p_installation text, p_moved boolean, p_store text)
  returns void
  language sql
as $$
  update tenuto.installation_marks m
  set system_identifier = h.system_identifier,
      database_oid = h.database_oid,
      name = p_installation,
      recorded_at = tenuto.now(),
      stores = case when p_moved then m.stores else '{}' end,
      foreign_stores = case
        when p_moved then m.foreign_stores
        else array_remove(array(select distinct s from unnest(m.foreign_stores || m.stores) s order by s), p_store) end
  from tenuto._database_marks() h;
$$;
