-- What a copy of this database does not share with it: which database of which Postgres system it is. A restored dump
-- and a copied database have another oid; another Postgres system has another identifier.
create table tenuto.installation_marks (
  one               boolean not null default true primary key,
  system_identifier text,   -- null: this login may not read it
  database_oid      oid not null,
  name              text,   -- TENUTO_INSTALLATION of the processes of this installation
  recorded_at       timestamptz not null,
  stores            text[] not null default '{}',   -- the object stores that its dispatchers use
  foreign_stores    text[] not null default '{}',   -- those of the installation that this database was copied from
  constraint there_is_one_row check (one),
  constraint name_is_short check (length(name) between 1 and 256)
);
comment on table tenuto.installation_marks is
  'Which database of which server this is: a copy of the database has other marks until it is adopted.';

do $$
declare
  v_system text;
begin
  if has_function_privilege('pg_control_system()', 'execute') then
    v_system := (select system_identifier::text from pg_control_system());
  end if;
  insert into tenuto.installation_marks (system_identifier, database_oid, recorded_at)
  select v_system, d.oid, statement_timestamp() from pg_database d where d.datname = current_database();
end
$$;
