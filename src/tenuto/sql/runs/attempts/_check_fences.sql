-- A batch of reports names as many attempts as tasks, and as many values.
create or replace function tenuto._check_fences(p_task_ids uuid[], p_attempts int[], p_values int)
  returns void
  language plpgsql
as $$
begin
  if cardinality(p_task_ids) is distinct from cardinality(p_attempts)
    or cardinality(p_task_ids) is distinct from p_values then
    perform tenuto._raise('TN003', format('%s task ids, %s attempts and %s values do not make a batch',
      cardinality(p_task_ids), cardinality(p_attempts), p_values));
  end if;
end
$$;
