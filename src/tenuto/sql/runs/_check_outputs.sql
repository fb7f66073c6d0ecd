-- Refuses outputs over 1 MB; called only for a batch that is heavy enough to hold one.
create or replace function tenuto._check_outputs(p_task_ids uuid[], p_outputs jsonb[])
  returns void
  language plpgsql
as $$
declare
  v_id uuid;
begin
  select o.id into v_id from unnest(p_task_ids, p_outputs) as o(id, output) where pg_column_size(o.output) > 1048576 limit 1;
  if found then
    perform tenuto._raise('TN007', format('the output of task %s is larger than 1 MB', v_id), 'put the value into a data object and answer its id');
  end if;
end
$$;
