-- open -> cancelled: cancels the task of a continuous source; it ends when its worker sees the cancellation. Does
-- nothing if the task has ended.
create or replace function tenuto._stop_source_task(p_org_id uuid, p_task_id uuid, p_reason text)
  returns void
  language plpgsql
as $$
begin
  if tenuto._is_open(p_task_id) then
    perform tenuto._cancel_run(p_org_id, p_task_id, p_reason);
  end if;
exception
  when sqlstate 'TN004' then   -- the task has ended in the meantime
    null;
end
$$;
