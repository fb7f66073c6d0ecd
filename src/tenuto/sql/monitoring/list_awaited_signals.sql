-- Returns the signals that tasks of a run wait for now, oldest wait first, at most 100. expects: the expected value in
-- short, null if the task declares no type; schema: the same as a JSON Schema. until: when the wait times out. Raises
-- TN001 if the run does not exist.
create or replace function tenuto.list_awaited_signals(p_org_id uuid, p_run_id uuid)
  returns table (name text, expects text, schema jsonb, task_id uuid, since timestamptz, until timestamptz)
  language plpgsql
  stable
as $$
begin
  if not exists (select from tenuto.runs r where r.id = p_run_id and r.org_id = p_org_id) then
    perform tenuto._raise('TN001', format('no run %s', p_run_id), 'list the runs to see which exist');
  end if;
  return query
  select w.signal, tenuto._describe_schema(w.signal_schema), w.signal_schema, w.id, w.waiting_at, w.wake_at
  from tenuto.waiting_tasks w
  where w.run_id = p_run_id and w.org_id = p_org_id and w.waits_for = 'signal'
  order by w.waiting_at, w.id
  limit 100;
end
$$;
