-- Raises TN003 if a job of the operator python names a function that neither workers of the org (_is_declared) nor the
-- app of the caller (p_functions) declare. Workers run only functions of their own apps: they import nothing by name.
create or replace function tenuto._check_functions(p_org_id uuid, p_jobs jsonb, p_functions text[])
  returns void
  language plpgsql
  stable
as $$
declare
  v_job text;
  v_function text;
begin
  select j.value ->> 'name', left(j.value #>> '{config,task}', 200)
  into v_job, v_function
  from jsonb_array_elements(p_jobs) j
  where split_part(j.value ->> 'operator', '@', 1) = 'python'
    and coalesce(j.value #>> '{config,task}', '') <> all (coalesce(p_functions, '{}'))
    and tenuto._is_declared(p_org_id, j.value #>> '{config,task}') is not true
  limit 1;
  if found then
    perform tenuto._raise('TN003',
      format('job %s runs %s, which no app declares', v_job, coalesce(v_function, 'no function')),
      tenuto._suggest_function(p_org_id, v_function, p_functions));
  end if;
end
$$;
