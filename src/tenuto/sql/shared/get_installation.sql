-- Returns the name of the installation to which this database belongs, since when, and which object stores it uses.
-- copy_problem: why the caller must not act on this database (_copy_problem); null if it may.
create or replace function tenuto.get_installation(p_installation text default null, p_store text default null)
  returns table (name text, recorded_at timestamptz, stores text[], foreign_stores text[], copy_problem text)
  language sql
  stable
as $$
  select m.name, m.recorded_at, m.stores, m.foreign_stores, tenuto._copy_problem(p_installation, p_store)
  from tenuto.installation_marks m;
$$;
