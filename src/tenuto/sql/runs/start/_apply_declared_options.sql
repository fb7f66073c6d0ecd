-- Completes the options of a start whose client does not have the code of the app. Kinds with `inherit` get the options
-- that workers declared for their type. Tasks of such kinds get the limits that workers declared for their type, unless
-- the start passes limits for them.
create or replace function tenuto._apply_declared_options(
  p_org_id uuid, p_task_kinds int[], p_inputs jsonb[], inout p_kinds jsonb, inout p_details jsonb)
  language plpgsql
as $$
declare
  v_limits jsonb[];
begin
  if jsonb_typeof(p_kinds) is distinct from 'array' then
    return;   -- _read_kinds raises the error
  end if;
  select jsonb_agg(coalesce(t.kind, '{}') || (k.kind - 'inherit') order by k.no), array_agg(t.limits order by k.no)
  into p_kinds, v_limits
  from jsonb_array_elements(p_kinds) with ordinality k(kind, no)
  left join tenuto.task_types t on t.org_id = p_org_id and t.type = k.kind ->> 'type' and k.kind -> 'inherit' = 'true';
  if array_remove(v_limits, null) = '{}' then
    return;
  end if;

  select jsonb_agg(
    coalesce(f.detail, jsonb_build_object('task', f.task))
    || case when f.limits is null then '{}' else jsonb_build_object('limits', f.limits) end)
  into p_details
  from (
    select d.detail, s.no - 1 as task,
           case when s.no is not null and (d.detail ? 'limits') is not true
                then tenuto._limits_of_type(
                  p_kinds -> s.kind ->> 'type',
                  v_limits[s.kind + 1],
                  coalesce(p_kinds -> s.kind ->> 'queue', 'default'),
                  s.input)
           end as limits
    from jsonb_array_elements(coalesce(p_details, '[]')) d(detail)
    full join (
      select u.input, coalesce(u.kind, 0) as kind, u.no
      from unnest(p_inputs, p_task_kinds) with ordinality u(input, kind, no)) s
      on d.detail -> 'task' = to_jsonb(s.no - 1)
  ) f
  where f.detail is not null or f.limits is not null;
end
$$;
