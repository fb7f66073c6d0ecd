-- Raises an error if the lists of a start do not fit together, if there is no task or more than 100,000 tasks, if an
-- input is over 1 MB, or if the details or limits are not valid. Returns the ids of the tasks, generated if the caller
-- passed none.
create or replace function tenuto._check_batch(
  p_ids uuid[], p_inputs jsonb[], p_task_kinds int[], p_details jsonb, p_kinds tenuto.task_spec[])
  returns uuid[]
  language plpgsql
as $$
declare
  v_count int := cardinality(p_inputs);
  v_bad text;
  v_large jsonb;
begin
  if v_count is null or v_count not between 1 and 100000 then
    perform tenuto._raise('TN003', format('a start has 1 to 100,000 tasks, not %s', coalesce(v_count, 0)),
      'start more in several calls');
  elsif cardinality(p_ids) <> v_count or cardinality(p_task_kinds) <> v_count then
    perform tenuto._raise('TN003',
      format('a batch of %s inputs has %s ids and %s task kinds',
        v_count, coalesce(cardinality(p_ids)::text, 'no'), coalesce(cardinality(p_task_kinds)::text, 'no')),
      'pass one of each for every task');
  elsif array_position(p_ids, null) is not null then
    perform tenuto._raise('TN003', format('the id of task %s is null', array_position(p_ids, null) - 1),
      'pass an id for every task, or no ids');
  end if;
  select format('task %s has kind %s', t.no - 1, coalesce(t.kind::text, 'null')) into v_bad
  from unnest(coalesce(p_task_kinds, '{0}')) with ordinality t(kind, no)
  where t.kind is null or t.kind < 0 or t.kind >= cardinality(p_kinds)
  limit 1;
  if found then
    perform tenuto._raise('TN003', v_bad || ', which is not in the list of kinds',
      format('the list has %s kinds, counted from 0', cardinality(p_kinds)));
  end if;
  select format('the input of task %s', t.no - 1), t.input
  into v_bad, v_large
  from unnest(p_inputs) with ordinality t(input, no)
  where pg_column_size(t.input) > 1048576
  limit 1;
  if found then
    perform tenuto._check_size(v_bad, v_large);
  end if;
  if p_details is not null then
    perform tenuto._check_details(p_details, v_count);
    -- Checks each distinct list of limits once, because most tasks of a start have the same list. Compares them as
    -- text, because 1.0 equals 1 as JSON, but is not a valid size.
    perform tenuto._require_read_committed('a start with a limit'), tenuto._check_limits(d.limits::jsonb)
    from (select distinct (d -> 'limits')::text as limits from jsonb_array_elements(p_details) d) d
    where d.limits <> 'null';
  end if;
  return coalesce(p_ids, array(select tenuto._uuid7() from generate_series(1, v_count) order by 1));
end
$$;
