-- Gives up a machine: from now on its workers cannot register, and a dispatcher can ask the provider to end the
-- machine. The caller's facts may be stale, so the workers are checked again. Returns false and changes nothing if one
-- of the machine's workers is starting, active or draining. There is one exception: the provider reported at p_seen_at
-- that the machine has ended, and none of these workers has sent a heartbeat since then. Then starting, active,
-- draining -> error with p_error, for these workers. A worker whose row is locked counts as sending a heartbeat now.
-- p_diagnostics: facts about the machine; if facts are stored already, those are kept. Idempotent. A machine without a
-- row counts as given up. On a copy of the database, no machine is given up: those of the original have no rows here.
create or replace function tenuto.give_up_machine(
  p_org_id uuid, p_worker_id text, p_seen_at timestamptz default null, p_error text default null,
  p_diagnostics jsonb default null)
  returns boolean
  language plpgsql
as $$
declare
  v_locked text[] := array(
    select w.id
    from tenuto.workers w
    where w.org_id = p_org_id
      and p_worker_id in (w.id, w.machine)
      and w.pool_id is not null
    order by w.id
    for no key update skip locked);
  v_open text[] := array(
    select w.id
    from tenuto.workers w
    where w.org_id = p_org_id
      and p_worker_id in (w.id, w.machine)
      and w.pool_id is not null
      and (w.status in ('starting', 'active', 'draining') or w.id <> all (v_locked))
    order by w.id);
begin
  perform tenuto._require_read_committed();
  if tenuto._copy_problem() is not null or exists (
    select from tenuto.workers w
    where w.org_id = p_org_id
      and w.id = any (v_open)
      and (p_seen_at is null or w.id <> all (v_locked) or coalesce(w.last_heartbeat, w.created_at) >= p_seen_at)) then
    return false;
  end if;
  perform tenuto.fail_worker(p_org_id, o.id, coalesce(p_error, 'its machine has ended')) from unnest(v_open) o(id);
  update tenuto.workers w
  set given_up_at = coalesce(w.given_up_at, tenuto.now()),
      diagnostics = coalesce(w.diagnostics, case
        when pg_column_size(p_diagnostics) <= 65536 then p_diagnostics
        when p_diagnostics is not null then jsonb_build_object('cut_bytes', pg_column_size(p_diagnostics)) end)
  where w.org_id = p_org_id
    and w.id = any (v_locked);
  return true;
end
$$;
