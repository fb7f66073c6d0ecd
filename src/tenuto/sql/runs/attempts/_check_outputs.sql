-- Raises TN007 for an output over 1 MB. Called only if the whole batch is over 1 MB.
create or replace function tenuto._check_outputs(p_task_ids uuid[], p_outputs jsonb[])
  returns void
  language plpgsql
as $$
declare
  v_bad record;
begin
  select o.id, o.output
  into v_bad
  from unnest(p_task_ids, p_outputs) as o(id, output)
  where pg_column_size(o.output) > 1048576
  limit 1;
  if found then
    perform tenuto._check_size(format('the output of task %s', v_bad.id), v_bad.output);
  end if;
end
$$;
