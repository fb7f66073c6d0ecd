-- Raises TN003 unless a task of the run has this name or type, or has recorded a step of this name. Children and
-- handlers do not count.
create or replace function tenuto._check_from_name(p_run_id uuid, p_from_name text)
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_names text[];
begin
  perform tenuto._check_name('the task or step to retry from', p_from_name);
  select array_agg(distinct n.name order by n.name)
  into v_names
  from tenuto._run_tasks(p_run_id) t
  cross join lateral (
    select t.name
    union all
    select r.type from tenuto.routes r where r.id = t.route_id
    union all
    (select s.name from tenuto.task_steps s where s.task_id = t.id and s.kind <> 'patch' offset 0)
  ) n
  where t.parent_id is null and t.handler is null and n.name is not null;
  if p_from_name <> all (coalesce(v_names, '{}')) then
    perform tenuto._raise('TN003',
      format('run %s has no task or step %L to retry from', p_run_id, left(p_from_name, 100)),
      format('write one of %s%s', array_to_string(v_names[:20], ', '),
        case when cardinality(v_names) > 20 then format(' and %s more', cardinality(v_names) - 20) end));
  end if;
end
$$;
