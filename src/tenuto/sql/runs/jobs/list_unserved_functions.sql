-- Returns the jobs of the operator python whose function no live worker can run, with the reason. declared: whether an
-- app declares the function: a deploy of another one is refused, and hint says what to do. p_jobs: the jobs of a
-- document; by default the jobs of the current version of p_dag, or of all DAGs. p_functions: functions that the app of
-- the caller declares.
create or replace function tenuto.list_unserved_functions(
  p_org_id uuid, p_dag text default null, p_jobs jsonb default null, p_functions text[] default null,
  p_limit int default 20)
  returns table (dag text, job text, function text, declared boolean, reason text, hint text)
  language plpgsql
  stable
as $$
declare
  v_job record;
begin
  perform tenuto._check_page(p_limit);
  for v_job in
    select p_dag as dag, j.value as definition, j.value ->> 'name' as name
    from jsonb_array_elements(p_jobs) j
    where split_part(j.value ->> 'operator', '@', 1) = 'python'
    union all
    select d.name, j.definition || jsonb_build_object('operator', j.operator), j.name
    from tenuto.dags d
    join tenuto.dag_versions v on v.org_id = d.org_id and v.dag_id = d.id and v.status = 'current'
    join tenuto.jobs j on j.org_id = v.org_id and j.dag_version_id = v.id
    where p_jobs is null and d.org_id = p_org_id and d.deleted_at is null and (p_dag is null or d.name = p_dag)
      and split_part(j.operator, '@', 1) = 'python'
    order by 1, 3
  loop
    reason := tenuto._why_no_function(p_org_id, v_job.definition);
    if reason is not null then
      dag := v_job.dag;
      job := v_job.name;
      function := v_job.definition #>> '{config,task}';
      declared := tenuto._is_declared(p_org_id, function) is true or function = any (coalesce(p_functions, '{}'));
      hint := case when not declared then tenuto._suggest_function(p_org_id, function, p_functions) end;
      return next;
      p_limit := p_limit - 1;
      exit when p_limit = 0;
    end if;
  end loop;
end
$$;
