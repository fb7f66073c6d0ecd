-- Gives every pool a new id, with which providers mark machines, and forgets the machines: they belong to the
-- installation that this database was copied from. any state -> terminated for all workers, whose sessions end.
create or replace function tenuto._leave_machines()
  returns void
  language plpgsql
as $$
begin
  update tenuto.sessions s
  set ended_at = tenuto.now(), end_reason = 'terminated'
  where s.ended_at is null;
  update tenuto.workers w
  set status = 'terminated',
      terminated_at = coalesce(w.terminated_at, tenuto.now()),
      machine_ended_at = coalesce(w.machine_ended_at, case when w.pool_id is not null then tenuto.now() end),
      provider_id = null
  where w.status <> 'terminated'
    or w.provider_id is not null
    or (w.pool_id is not null and w.machine_ended_at is null);
  update tenuto.pools p
  set id = tenuto._uuid7(), decision_no = p.decision_no + 1, requested = 0, controlled_by = null,
      controlled_until = null, problem = null, problem_at = null, problems = 0;
end
$$;
