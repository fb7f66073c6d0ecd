-- Makes a copy of an installation an installation of its own: its loops, workers, schedules, pools and effects may
-- begin. Forgets the machines and sessions of the original, and gives the pools new ids. p_moved: the original is gone
-- and continues here, with the same pools, machines, sessions and object stores. p_discard_effects: deliveries that are
-- pending become dead effects. p_store: the object store that this installation will use; TN004 if the original uses a
-- store of this address, unless p_own_store confirms that it is another one. Raises TN004 if the database is no copy,
-- if a dispatcher runs its loops, or with p_moved if the original still exists on this server. p_installation: as in
-- _copy_problem; it becomes the name of the installation. Returns how many effects were discarded. p_dry_run: raises
-- the same errors, and changes nothing.
create or replace function tenuto.adopt_database(
  p_installation text default null, p_moved boolean default false, p_discard_effects boolean default false,
  p_store text default null, p_own_store boolean default false, p_dry_run boolean default false)
  returns bigint
  language plpgsql
as $$
declare
  v_marks tenuto.installation_marks;
  v_problem text;
  v_address text;
  v_discarded bigint := 0;
begin
  perform tenuto._check_name('the name of an installation', p_installation);
  select * into v_marks from tenuto.installation_marks for update;
  v_problem := tenuto._copy_problem(p_installation);
  if v_problem is null then
    perform tenuto._raise('TN004', 'this database is no copy: it is an installation of its own, and works already');
  end if;
  select coalesce(d.address, 'unknown') into v_address
  from tenuto.loop_leases l
  left join tenuto.dispatchers d on d.id = l.dispatcher_id
  where l.expires_at >= tenuto.now()
  limit 1;
  if found then
    perform tenuto._raise('TN004', format('a dispatcher at %s runs the loops of this database now', v_address),
      'this is the database of an installation that works: check TENUTO_DATABASE_URL and TENUTO_INSTALLATION');
  end if;
  if p_moved and v_marks.system_identifier = (tenuto._database_marks()).system_identifier and exists (
    select from pg_database d where d.oid = v_marks.database_oid and d.datname <> current_database()) then
    perform tenuto._raise('TN004',
      format('the original still exists on this server: database %s', (
        select d.datname from pg_database d where d.oid = v_marks.database_oid)),
      'drop or rename it only when nothing uses it any more, or adopt the copy with --keep or --cancel');
  end if;
  if not p_moved and not p_own_store and p_store = any (v_marks.stores || v_marks.foreign_stores) then
    perform tenuto._raise('TN004', format('the original uses the object store %s, too', p_store),
      'set TENUTO_STORAGE to a store of its own, such as a copy; if this is another store at the same address, confirm '
      'it with --own-store');
  end if;

  if p_dry_run then
    return 0;
  end if;
  if not p_moved then
    perform tenuto._leave_machines();
    perform tenuto._outdate_signing_keys();   -- a task token of the copy must not be valid in the original
  end if;
  if p_discard_effects then
    v_discarded := tenuto._discard_effects('discarded when this copy of the database was adopted');
  end if;
  perform tenuto._record_marks(p_installation, p_moved, p_store);
  perform tenuto._audit(o.id, 'installation', coalesce(p_installation, 'unnamed'), 'adopt',
    jsonb_build_object('moved', p_moved, 'discarded_effects', v_discarded, 'why', v_problem))
  from tenuto.orgs o;
  return v_discarded;
end
$$;
