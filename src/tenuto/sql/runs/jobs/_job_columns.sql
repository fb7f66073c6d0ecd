-- Returns the columns that only tasks of jobs have. They are null for other tasks. Types of jobs begin with `tenuto.`,
-- so tasks of other types need no lookup.
create or replace function tenuto._job_columns(
  p_task_id uuid, p_type text, out partitions text[], out input_versions jsonb)
  language plpgsql
  stable
as $$
begin
  if starts_with(p_type, 'tenuto.') then
    select array_remove(array[j.partition_key], ''), j.input_versions into partitions, input_versions
    from tenuto.job_tasks j
    where j.task_id = p_task_id;
  end if;
end
$$;
