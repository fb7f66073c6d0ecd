-- queued -> running: does what func_claim_available_task does, for older workers of Headless-WGP. p_table_name must be
-- tasks.
create or replace function tenuto_compat.func_claim_task(p_table_name text, p_worker_id text)
  returns table (
    id uuid, status text, attempts int, worker_id text, generation_started_at timestamptz, task_data jsonb,
    created_at timestamptz, task_type text)
  language plpgsql
as $$
begin
  if p_table_name is distinct from 'tasks' then
    perform tenuto._raise('TN003', format('there is no table %s to claim from', coalesce(left(p_table_name, 256),
      'null')), 'pass tasks');
  end if;
  return query select * from tenuto_compat.func_claim_available_task(p_worker_id);
end
$$;
