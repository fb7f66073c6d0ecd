-- Returns the dependencies of a start: those in p_edges, and one for each input that reads another task's output.
create or replace function tenuto._read_edges(p_edges jsonb, p_details jsonb, p_count int)
  returns tenuto.edge[]
  language plpgsql
as $$
declare
  v_edges tenuto.edge[];
  v_bad record;
begin
  if p_edges is not null and jsonb_typeof(p_edges) <> 'array' then
    perform tenuto._raise('TN003', 'edges are not a JSON array');
  end if;
  select e as edge, k as key into v_bad
  from jsonb_array_elements(p_edges) e
  cross join lateral jsonb_object_keys(e) k
  where k not in ('from', 'to', 'on')
  limit 1;
  if found then
    perform tenuto._raise('TN003', format('edge %s has an unknown key %L', v_bad.edge, v_bad.key),
      'known keys: from, to, on');
  end if;
  select array_agg((e.from_no, e.to_no, e.runs_on)::tenuto.edge)
  into v_edges
  from (
    select g."from" as from_no, g."to" as to_no, coalesce(g."on", 'completed') as runs_on
    from jsonb_to_recordset(coalesce(p_edges, '[]')) as g("from" int, "to" int, "on" text)
    union all
    select distinct s.task, d.task, 'completed'
    from jsonb_to_recordset(p_details) as d(task int, slots jsonb)
    cross join lateral jsonb_to_recordset(d.slots) as s(task int)
    where s.task is not null
      and not exists (
        select from jsonb_to_recordset(coalesce(p_edges, '[]')) as g("from" int, "to" int)
        where g."from" = s.task and g."to" = d.task)
  ) e;

  select e.from_no, e.to_no, e.runs_on into v_bad
  from unnest(v_edges) e
  where e.from_no is null or e.to_no is null or e.from_no < 0 or e.to_no >= p_count or e.from_no >= e.to_no
     or e.runs_on not in ('completed', 'failed', 'continue')
  limit 1;
  if found then
    perform tenuto._raise('TN003',
      format('edge from task %s to task %s on %L is not valid in a run of %s tasks', v_bad.from_no,
        v_bad.to_no, v_bad.runs_on, p_count),
      'list each task before the tasks that depend on it, and write completed, failed or continue as "on"');
  end if;
  if (select count(*) <> count(distinct (e.from_no, e.to_no)) from unnest(v_edges) e) then
    perform tenuto._raise('TN003', 'two edges join the same two tasks');
  end if;
  return v_edges;
end
$$;
