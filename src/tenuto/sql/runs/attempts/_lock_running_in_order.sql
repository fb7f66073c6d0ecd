-- Locks the running rows of a batch in id order, if its attempt numbers differ. The caller ends the attempts of such a
-- batch one attempt number after the other, which would otherwise lock the rows in another order.
create or replace function tenuto._lock_running_in_order(p_session_id bigint, p_task_ids uuid[], p_attempts int[])
  returns void
  language plpgsql
as $$
begin
  if (select min(a) <> max(a) from unnest(p_attempts) a) then
    perform from tenuto.running_tasks where id = any (p_task_ids) and session_id = p_session_id order by id for update;
  end if;
end
$$;
