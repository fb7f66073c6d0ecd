-- Ends a request whose parts are all done, or starts its next phase. A retry whose tasks are all copied then releases
-- the copies, unless the new run was cancelled meanwhile. A cancel continues in sweep_cancelled until all tasks of the
-- run have ended.
create or replace function tenuto._end_phase(p_request tenuto.run_requests)
  returns void
  language plpgsql
as $$
declare
  v_cancelled boolean;
begin
  if p_request.verb = 'cancel' then
    insert into tenuto.cancel_requests (id, scope, org_id, requested_at, reason)
    values (p_request.run_id, 'run', p_request.org_id, tenuto.now(), p_request.reason)
    on conflict do nothing;
  elsif p_request.verb = 'retry' and p_request.phase = 'work' then
    perform tenuto._copy_run(p_request.source_id, p_request.run_id, p_request.base_id, p_request.reuse);
    insert into tenuto.run_counts (run_id, org_id, added) values (p_request.run_id, p_request.org_id, -1);
    select r.cancel_requested_at is not null into v_cancelled from tenuto.runs r where r.id = p_request.run_id;
    if not v_cancelled then
      update tenuto.run_requests
      set phase = 'release', next_part = 1, worked_at = tenuto.now()
      where run_id = p_request.run_id and verb = 'retry';
      return;
    end if;
  end if;
  delete from tenuto.run_request_parts where run_id = p_request.run_id and verb = p_request.verb;
  delete from tenuto.run_requests where run_id = p_request.run_id and verb = p_request.verb;
end
$$;
