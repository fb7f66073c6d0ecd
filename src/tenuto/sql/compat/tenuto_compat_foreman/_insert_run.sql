-- -> pending: an insert into run opens a run. The run ends when it is closed and its tasks have ended.
create or replace function tenuto_compat_foreman._insert_run()
  returns trigger
  language plpgsql
as $$
declare
  v_created boolean;
begin
  if coalesce(new.status, 'pending') <> 'pending' then
    perform tenuto._raise('TN003', format('a run is inserted as pending, not as %s', left(new.status, 100)));
  elsif new.input_data is null then
    perform tenuto._raise('TN003', 'input_data of the run is null', 'write a JSON value, such as {}');
  elsif num_nonnulls(new.output_data, new.error_data, new.started_at, new.completed_at, new.duration_ms) > 0
     or coalesce(new.total_tasks, 0) + coalesce(new.completed_tasks, 0) + coalesce(new.failed_tasks, 0) <> 0 then
    perform tenuto._raise('TN003', 'a new run has no output, error, start, end, duration or task counts',
      'leave these columns out: its tasks set them');
  end if;
  new.id := coalesce(new.id, tenuto._uuid7());
  select r.created into v_created
  from tenuto.open_run(
    tenuto_compat._check_org(new.org_id),
    jsonb_build_object('id', new.id, 'input', new.input_data)
    || case when new.metadata is null then '{}' else jsonb_build_object('metadata', new.metadata) end) r;
  if not v_created then
    perform tenuto._raise('TN004', format('run %s exists already', new.id), 'leave out the id, or make another UUID');
  end if;
  select r.* into new from tenuto_compat_foreman.run r where r.id = new.id;
  return new;
end
$$;
