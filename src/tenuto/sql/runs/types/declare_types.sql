-- Stores the declaration of the types that a worker runs: {"app.function": {"kind": …, "limits": […]}}. The kind is
-- written as in a start, without the type. Returns the types whose declaration changed, and those whose schema was
-- refused, with the reason; such a type is stored without its schema. The latest declaration wins. A session restricted
-- to queues can declare types only in these queues, and no type that was declared for another queue. Other types are
-- ignored. Otherwise the session could redirect to its own queues the starts that pass only a type and no queue. A
-- limit with a "parameter" applies to each value of that parameter. The "key" of this limit ends before the value,
-- "position" is the index of the parameter among the positional arguments, and "default" is the value if the argument
-- is left out. p_schemas: {type: JSON Schema of its arguments by name}, for the types of p_types. A function that only
-- jobs run is declared as the type tenuto.python.<function>, by any session and without options.
create or replace function tenuto.declare_types(
  p_session_id bigint, p_token uuid, p_types jsonb, p_schemas jsonb default null)
  returns table (type text, changed boolean, schema_problem text)
  language plpgsql
as $$
#variable_conflict use_column
declare
  v_session tenuto.sessions;
begin
  perform tenuto._require_read_committed();
  select s.* into v_session from tenuto.sessions s where s.id = p_session_id and s.token = p_token;
  if not found then
    perform tenuto._raise('TN001', format('no session %s with this token', p_session_id));
  elsif jsonb_typeof(p_types) is distinct from 'object' then
    perform tenuto._raise('TN003', 'types are not a JSON object',
      'write {"app.function": {"kind": {"queue": "mail"}}}');
  elsif (select count(*) from jsonb_object_keys(p_types)) > 1000 then
    perform tenuto._raise('TN003', 'more than 1000 types in one call', 'declare the rest in another call');
  elsif jsonb_typeof(p_schemas) <> 'object' then
    perform tenuto._raise('TN003', 'schemas are not a JSON object', 'write {"app.function": {"type": "object"}}');
  end if;
  perform tenuto._check_size('the declaration of types', p_types);
  perform tenuto._check_keys(format('the declaration of %s', left(d.key, 200)), d.value, array['kind', 'limits']),
          tenuto._check_declared_limits(d.value -> 'limits')
  from jsonb_each(p_types) d;
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
    select t.type, t.kind, t.limits, t.input_schema, t.schema_problem from tenuto.task_types t
    where t.org_id = v_session.org_id and t.type in (select jsonb_object_keys(p_types))
  ), declared as materialized (
    select d.key as type, coalesce(d.value -> 'kind', '{}') as kind, d.value -> 'limits' as limits, s.schema,
           case when s.schema is distinct from b.input_schema then tenuto._schema_problem(s.schema) end as problem
    from jsonb_each(p_types) d
    cross join lateral nullif(p_schemas -> d.key, 'null') s(schema)
    left join before b on b.type = d.key
  ), put as (
    insert into tenuto.task_types as t
      (org_id, type, kind, limits, declared_by, declared_at, input_schema, schema_problem)
    select v_session.org_id, d.type, d.kind, d.limits, v_session.worker_id, tenuto.now(),
           case when d.problem is null then d.schema end, d.problem
    from declared d
    order by d.type
    on conflict (org_id, type) do update
      set kind = excluded.kind,
          limits = excluded.limits,
          declared_by = excluded.declared_by,
          declared_at = excluded.declared_at,
          input_schema = excluded.input_schema,
          schema_problem = excluded.schema_problem
      where v_session.queues is null or coalesce(t.kind ->> 'queue', 'default') = any (v_session.queues)
    returning t.type, t.kind, t.limits, t.input_schema, t.schema_problem
  ), compared as (
    select p.type,
           b.type is null or (b.kind, b.limits, b.input_schema, b.schema_problem)
                             is distinct from (p.kind, p.limits, p.input_schema, p.schema_problem) as changed,
           p.schema_problem
    from put p
    left join before b on b.type = p.type
  )
  select c.type, c.changed, c.schema_problem
  from compared c
  where c.changed or c.schema_problem is not null
  order by c.type;
  perform tenuto._declare_limits(v_session, p_types);
end
$$;
