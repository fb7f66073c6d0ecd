-- Moves the cursors of jobs forward, never back. Each pair of a job and a dataset version has 16 slots. A transaction
-- writes to a slot that no other transaction has locked, so it does not wait and needs no lock order. If all 16 slots
-- are locked, the transaction writes to a 17th slot, and waits if another transaction has written the row of that slot.
create or replace function tenuto._move_cursors(
  p_org_ids uuid[], p_job_keys uuid[], p_version_ids uuid[], p_cursors uuid[], p_task_ids uuid[])
  returns void
  language sql
as $$
  insert into tenuto.dataset_cursors as c
    (org_id, job_key, dataset_version_id, slot, cursor, task_id, updated_at)
  select m.org_id, m.job_key, m.version_id, coalesce(s.no, 16), m.cursor, m.task_id, tenuto.now()
  from (
    select distinct on (u.org_id, u.job_key, u.version_id) u.*
    from unnest(p_org_ids, p_job_keys, p_version_ids, p_cursors, p_task_ids)
      as u(org_id, job_key, version_id, cursor, task_id)
    join tenuto.dataset_versions v on v.org_id = u.org_id and v.id = u.version_id
    where u.cursor is not null
    order by u.org_id, u.job_key, u.version_id, u.cursor desc) m
  left join lateral (
    select n.no
    from generate_series(0, 15) n(no)
    where pg_try_advisory_xact_lock(hashtextextended('tenuto cursor ' || m.job_key || m.version_id, n.no))
    limit 1) s on true
  on conflict (org_id, job_key, dataset_version_id, slot) do update
    set cursor = excluded.cursor, task_id = excluded.task_id, updated_at = excluded.updated_at
    where excluded.cursor > c.cursor;
$$;
