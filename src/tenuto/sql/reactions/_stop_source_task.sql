-- open -> cancelled: stops the task of a continuous source, which ends when its worker sees it. Does nothing if it has
-- ended.
create or replace function tenuto._stop_source_task(p_org_id uuid, p_task_id uuid, p_reason text)
  returns void
  language plpgsql
as $$
begin
  if tenuto._is_open(p_task_id) then
    perform tenuto._cancel_run(p_org_id, p_task_id, p_reason);
  end if;
exception
  when sqlstate 'TN004' then   -- it ended meanwhile
    null;
end
$$;
