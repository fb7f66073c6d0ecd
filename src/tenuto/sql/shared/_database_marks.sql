-- Returns which database of which Postgres system this is. system_identifier: null if this login may not read it.
create or replace function tenuto._database_marks(out system_identifier text, out database_oid oid)
  language plpgsql
  stable
as $$
begin
  if has_function_privilege('pg_control_system()', 'execute') then
    system_identifier := (select s.system_identifier::text from pg_control_system() s);
  end if;
  database_oid := (select d.oid from pg_database d where d.datname = current_database());
end
$$;
