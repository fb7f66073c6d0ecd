-- Returns why the caller must not act on this database, because the database is a copy of an installation: its rows
-- (pools, schedules, effects, queued tasks) are those of the original, which may still run. Returns null on an
-- installation of its own and in test databases, which are copies of a template. p_installation: the
-- TENUTO_INSTALLATION of the calling process, which recognizes copies of files and volumes, too (null: not compared).
-- p_store: the object store of the calling process. An adopted copy must not write or delete objects of its original.
create or replace function tenuto._copy_problem(p_installation text default null, p_store text default null)
  returns text
  language plpgsql
  stable
as $$
declare
  v_recorded tenuto.installation_marks;
  v_here record;
begin
  if exists (select from tenuto.installation i where i.key = 'test' and i.value = 'true') then
    return null;
  end if;
  select * into v_recorded from tenuto.installation_marks;
  v_here := tenuto._database_marks();
  if v_here.database_oid <> v_recorded.database_oid
     or v_here.system_identifier <> v_recorded.system_identifier then
    return format('this database (oid %s of Postgres system %s) is a copy of an installation (oid %s of system %s)',
      v_here.database_oid, coalesce(v_here.system_identifier, 'unknown'), v_recorded.database_oid,
      coalesce(v_recorded.system_identifier, 'unknown'));
  elsif p_installation <> coalesce(v_recorded.name, '') then
    return format('this database belongs to the installation %s, and TENUTO_INSTALLATION is %s',
      coalesce(v_recorded.name, 'without a name'), left(p_installation, 256));
  elsif p_store = any (v_recorded.foreign_stores) then
    return format('the object store %s belongs to the installation that this database was copied from; set '
      'TENUTO_STORAGE to another one', p_store);
  end if;
  return null;
end
$$;
