-- An insert into run_data writes a value of a run that has not ended. With task_id, that task is the writer, and must
-- be running.
create or replace function tenuto_compat_foreman._insert_run_data()
  returns trigger
  language plpgsql
as $$
declare
  v_org_id uuid := tenuto_compat._check_org(new.org_id);
  v_values jsonb;
  v_writer record;
  v_ids uuid[];
begin
  if num_nulls(new.run_id, new.key, new.value) > 0 then
    perform tenuto._raise('TN003', 'run_id, key or value of run data is null', 'write all three of them');
  elsif new.id is not null then
    perform tenuto._raise('TN003', 'the database makes the ids of run data', 'leave out the id');
  end if;
  v_values := jsonb_build_object(new.key, new.value);
  if new.task_id is null then
    v_ids := tenuto.put_run_data(v_org_id, new.run_id, v_values, p_metadata => new.metadata);
  else
    v_writer := tenuto_compat_foreman._find_running(v_org_id, new.run_id, new.task_id);
    v_ids := tenuto.put_task_data(v_writer.session_id, v_writer.token, new.task_id, v_writer.attempt, v_values,
      p_metadata => new.metadata);
  end if;
  select d.* into new from tenuto_compat_foreman.run_data d where d.id = v_ids[1];
  return new;
end
$$;
