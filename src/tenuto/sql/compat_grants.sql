-- The rights on the compatibility schemas (tenuto_compat…), which have views and functions with the names of the tables
-- and functions of other systems. These run with the caller's rights, so a client cannot do more through the
-- compatibility schemas than in the schema tenuto. Servers (tenuto_api) do not use the compatibility schemas.
do $$
declare
  v_schema record;
  v_object record;
begin
  for v_schema in
    select n.oid, quote_ident(n.nspname) as name
    from pg_namespace n
    where n.nspname ~ '^tenuto_compat(_|$)' and n.nspowner = 'tenuto_owner'::regrole
  loop
    execute format('revoke all on schema %s from public', v_schema.name);
    execute format('revoke all on all routines in schema %s from public', v_schema.name);
    execute format('grant usage on schema %s to tenuto_dispatcher, tenuto_worker, tenuto_client, tenuto_readonly',
      v_schema.name);
    execute format('grant execute on all routines in schema %s to tenuto_dispatcher, tenuto_worker', v_schema.name);
    execute format(
      'grant select on all tables in schema %s to tenuto_dispatcher, tenuto_worker, tenuto_client, tenuto_readonly',
      v_schema.name);

    for v_object in   -- a view calls its functions with the reader's rights
      select p.oid::regprocedure as name
      from pg_proc p
      where p.pronamespace = v_schema.oid and p.provolatile <> 'v'
    loop
      execute format('grant execute on function %s to tenuto_client, tenuto_readonly', v_object.name);
    end loop;

    -- Grants writes only on views with an instead-of trigger. Through a view of one table without such a trigger,
    -- Postgres would write to the table itself.
    for v_object in
      select c.oid::regclass as name, bit_or(t.tgtype::int) as kinds
      from pg_class c
      join pg_trigger t on t.tgrelid = c.oid and t.tgtype & 64 > 0   -- an instead-of trigger
      where c.relnamespace = v_schema.oid and c.relkind = 'v'
      group by c.oid
    loop
      if v_object.kinds & 4 > 0 then
        execute format('grant insert on %s to tenuto_dispatcher, tenuto_worker, tenuto_client', v_object.name);
      end if;
      if v_object.kinds & 16 > 0 then
        execute format('grant update on %s to tenuto_dispatcher, tenuto_worker', v_object.name);
      end if;
      if v_object.kinds & 8 > 0 then
        execute format('grant delete on %s to tenuto_dispatcher, tenuto_worker', v_object.name);
      end if;
    end loop;
  end loop;
end
$$;
