-- queued -> running, for up to p_limit tasks of the routes. Each resource group gets a share by its weight, within its
-- quota (p_group: only this group). Inside a group, tasks are claimed by priority, then by age. p_claim_no must be one
-- higher with every call of the session. Claims nothing for a worker that is draining or in error. Raises TN002 if the
-- session has ended.
create or replace function tenuto.claim_tasks(
  p_session_id bigint, p_token uuid, p_claim_no bigint, p_routes int[], p_limit int, p_group text default null)
  returns setof tenuto.claimed
  language plpgsql
as $$
begin
  perform tenuto._require_read_committed();
  if p_limit > 0 and tenuto._session_can_claim(p_session_id, p_token) then
    return query select * from tenuto._claim(p_session_id, p_claim_no, p_routes, p_limit, p_group);
  end if;
end
$$;
