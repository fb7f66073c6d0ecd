-- Records a request to cancel a run or a task; the tasks end when the transaction commits (_cancel_requested). A
-- repeated cancel searches again for tasks that have not ended, and keeps the first reason.
create or replace function tenuto._request_cancel(p_org_id uuid, p_id uuid, p_scope text, p_reason text)
  returns void
  language sql
as $$
  insert into tenuto.cancel_requests (id, scope, org_id, requested_at, reason, at_commit)
  values (p_id, p_scope, p_org_id, tenuto.now(), p_reason, true)
  on conflict (id, scope) do update
  set requested_at = excluded.requested_at,
      reason       = coalesce(cancel_requests.reason, excluded.reason),
      at_commit    = true;
$$;
