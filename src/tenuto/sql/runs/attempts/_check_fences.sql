-- Raises TN003 unless the lists of a batch of reports (task ids, attempts, values) have the same length.
create or replace function tenuto._check_fences(p_task_ids uuid[], p_attempts int[], p_values int)
  returns void
  language plpgsql
as $$
begin
  if not tenuto._require_read_committed() then   -- without a statement of its own, because this call is frequent
    return;
  end if;
  if cardinality(p_task_ids) is distinct from cardinality(p_attempts)
     or cardinality(p_task_ids) is distinct from p_values then
    perform tenuto._raise('TN003',
      format('a batch of %s task ids has %s attempts and %s values; each task needs one of each',
        cardinality(p_task_ids), cardinality(p_attempts), p_values));
  end if;
end
$$;
