-- Returns the type of a job's tasks: its operator, such as tenuto.sql. For the operator python, the type also has the
-- function, such as tenuto.python.shop.extract, so that only workers whose apps declare it claim the tasks.
create or replace function tenuto._job_type(p_operator text, p_config jsonb)
  returns text
  language sql
  immutable
as $$
  select 'tenuto.' || case split_part(p_operator, '@', 1)
    when 'udf' then 'bundle'
    when 'python' then 'python.' || (p_config ->> 'task')
    else split_part(p_operator, '@', 1)
  end;
$$;
