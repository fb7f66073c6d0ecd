-- any open state -> cancelled, for up to 1,000 tasks that have not ended and that only this repair has started. This
-- includes tasks of other jobs that started because its tasks have committed data.
create or replace function tenuto._cancel_repair(p_org_id uuid, p_repair_id uuid, p_reason text)
  returns void
  language plpgsql
as $$
declare
  v_ids uuid[] := array(
    select t.task_id
    from tenuto.repair_tasks t
    where t.repair_id = p_repair_id and t.owned and not t.failed
    order by t.task_id
    limit 1000);
begin
  if v_ids <> '{}' then
    perform tenuto._cancel_now(p_org_id, v_ids, 'task', p_reason);
  end if;
end
$$;
