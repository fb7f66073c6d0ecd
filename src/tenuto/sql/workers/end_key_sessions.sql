-- Ends the open sessions of a revoked worker key and terminates their workers. expire_attempts then ends the attempts
-- that the sessions held. Returns how many sessions were ended. Idempotent.
create or replace function tenuto.end_key_sessions(p_org_id uuid, p_worker_key_id uuid)
  returns bigint
  language plpgsql
as $$
declare
  v_count bigint;
begin
  perform tenuto._require_read_committed();
  perform
  from tenuto.workers w
  where w.org_id = p_org_id
    and w.id in (select s.worker_id from tenuto.sessions s
                 where s.org_id = p_org_id and s.worker_key_id = p_worker_key_id and s.ended_at is null)
  order by w.id
  for no key update of w;   -- locks workers before sessions, as every function does

  with ended as (
    update tenuto.sessions s
    set ended_at = tenuto.now(), end_reason = 'terminated'
    where s.org_id = p_org_id
      and s.worker_key_id = p_worker_key_id
      and s.ended_at is null
      and exists (
        select from tenuto.worker_keys k
        where k.org_id = p_org_id and k.id = p_worker_key_id and k.revoked_at is not null)
    returning s.worker_id
  ), gone as (
    update tenuto.workers w
    set status = 'terminated', terminated_at = coalesce(w.terminated_at, tenuto.now())
    from ended e
    where w.org_id = p_org_id
      and w.id = e.worker_id
      and w.status <> 'terminated'
  )
  select count(*) into v_count from ended;
  return v_count;
end
$$;
