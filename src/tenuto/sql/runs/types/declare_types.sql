-- Stores the declaration of the types that a worker runs: {"app.function": {"kind": …, "limits": […]}}. The kind is
-- written as in a start, without the type. Returns the types whose declaration changed. The latest declaration wins. A
-- session restricted to queues can declare types only in these queues, and no type that was declared for another queue.
-- Other types are ignored. Otherwise the session could redirect to its own queues the starts that pass only a type and
-- no queue. A limit with a "parameter" applies to each value of that parameter. The "key" of this limit ends before the
-- value, "position" is the index of the parameter among the positional arguments, and "default" is the value if the
-- argument is left out. p_schemas: {type: JSON Schema of its arguments by name}, for the types of p_types. A function
-- that only jobs run is declared as the type tenuto.python.<function>, by any session and without options.
create or replace function tenuto.declare_types(
  p_session_id bigint, p_token uuid, p_types jsonb, p_schemas jsonb default null)
  returns setof text
  language plpgsql
as $$
declare
  v_session tenuto.sessions;
begin
  select s.* into v_session from tenuto.sessions s where s.id = p_session_id and s.token = p_token;
  if not found then
    perform tenuto._raise('TN001', format('no session %s with this token', p_session_id));
  elsif jsonb_typeof(p_types) is distinct from 'object' then
    perform tenuto._raise('TN003', 'types are not a JSON object',
      'write {"app.function": {"kind": {"queue": "mail"}}}');
  elsif (select count(*) from jsonb_object_keys(p_types)) > 1000 then
    perform tenuto._raise('TN003', 'more than 1000 types in one call', 'declare the rest in another call');
  end if;
  perform tenuto._check_size('the declaration of types', p_types);
  perform tenuto._check_keys(format('the declaration of %s', left(d.key, 200)), d.value, array['kind', 'limits']),
          tenuto._check_declared_limits(d.value -> 'limits')
  from jsonb_each(p_types) d;
  perform tenuto._check_input_schema(s.key, s.value) from jsonb_each(p_schemas) s;
  if v_session.queues is not null then
    select coalesce(jsonb_object_agg(d.key, d.value), '{}') into p_types
    from jsonb_each(p_types) d
    where coalesce(d.value -> 'kind' ->> 'queue', 'default') = any (v_session.queues)
       or starts_with(d.key, 'tenuto.');
  end if;
  if exists (
    select from jsonb_each(p_types) d
    where starts_with(d.key, 'tenuto.') and (d.value <> '{}' or d.key !~ '^tenuto\.python\..')) then
    perform tenuto._raise('TN003', 'types that begin with tenuto. are operators, which have no options',
      'declare tenuto.python.app.function as {}, for a function that jobs run');
  end if;
  -- Also creates the routes of the types. All callers create them in one order: otherwise two workers that start
  -- together could wait for each other's locks.
  perform tenuto._read_kinds(v_session.org_id, (
    select coalesce(jsonb_agg(k.kind order by coalesce(k.kind ->> 'queue', 'default'), k.kind ->> 'type'), '[]')
    from (
      select coalesce(d.value -> 'kind', '{}') || jsonb_build_object('type', d.key) as kind
      from jsonb_each(p_types) d
      where not starts_with(d.key, 'tenuto.')) k));

  return query
  with before as materialized (
    select t.type, t.kind, t.limits, t.input_schema from tenuto.task_types t
    where t.org_id = v_session.org_id and t.type in (select jsonb_object_keys(p_types))
  ), put as (
    insert into tenuto.task_types as t (org_id, type, kind, limits, declared_by, declared_at, input_schema)
    select v_session.org_id, d.key, coalesce(d.value -> 'kind', '{}'), d.value -> 'limits', v_session.worker_id,
           tenuto.now(), p_schemas -> d.key
    from jsonb_each(p_types) d
    order by d.key
    on conflict (org_id, type) do update
      set kind = excluded.kind,
          limits = excluded.limits,
          declared_by = excluded.declared_by,
          declared_at = excluded.declared_at,
          input_schema = excluded.input_schema
      where v_session.queues is null or coalesce(t.kind ->> 'queue', 'default') = any (v_session.queues)
    returning t.type, t.kind, t.limits, t.input_schema
  )
  select p.type from put p left join before b on b.type = p.type
  where b.type is null or (b.kind, b.limits, b.input_schema) is distinct from (p.kind, p.limits, p.input_schema)
  order by p.type;
  perform tenuto._declare_limits(v_session, p_types);
end
$$;
