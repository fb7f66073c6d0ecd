-- any state that is not final -> cancelled, in this transaction, for several runs or tasks and all tasks that their
-- cancel stops (_tasks_below). One call cancels all of them, so that rows are locked in the order of ADR 7.
-- sweep_cancelled repeats the cancel until all of these tasks have ended.
create or replace function tenuto._cancel_now(p_org_id uuid, p_ids uuid[], p_scope text, p_reason text)
  returns void
  language plpgsql
as $$
begin
  insert into tenuto.cancel_requests (id, scope, org_id, requested_at, reason)
  select i, p_scope, p_org_id, tenuto.now(), p_reason from unnest(p_ids) i order by i
  on conflict (id, scope) do nothing;
  perform tenuto._cancel_tasks(
    array(select distinct b from unnest(p_ids) i cross join lateral tenuto._tasks_below(i, p_scope) b), p_reason);
  if p_scope = 'run' then
    update tenuto.runs
    set cancel_requested_at = coalesce(cancel_requested_at, tenuto.now()),
        cancel_reason       = coalesce(cancel_reason, p_reason)
    where id = any (p_ids) and completed_at is null;
    perform tenuto._close_cancelled(p_ids);
    perform tenuto._retry_parked_now(i) from unnest(p_ids) i;
  end if;
end
$$;
