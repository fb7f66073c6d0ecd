-- Does one piece each of what versions of DAGs need, at most p_limit pieces: starts or follows the tasks that compute a
-- version, or cancels those of a version that was rolled back; and tells readers in other DAGs what a cutover has
-- changed. Neither waits for the other: a version may have many readers, or a job that is paused.
-- Holds the DAG, so that deploys and cutovers do not happen at the same time; a DAG that another session holds is left
-- for later. With p_keys, only these versions (their ids), even if they are parked. Returns how many pieces were done.
create or replace function tenuto.advance_builds(p_limit int default 1, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_due record;
  v_build tenuto.builds;
  v_parked text[] := tenuto._parked('advance_builds', p_keys);
  v_count bigint := 0;
  v_readers boolean;
begin
  for v_due in
    select b.dag_version_id, b.org_id, v.dag_id
    from tenuto.builds b
    join tenuto.dag_versions v on v.org_id = b.org_id and v.id = b.dag_version_id
    where b.due_at <= tenuto.now()
      and (p_keys is null or b.dag_version_id::text = any (p_keys))
      and b.dag_version_id::text <> all (v_parked)
    order by b.due_at
    limit 1000
  loop
    exit when v_count >= p_limit;
    perform from tenuto.dags d
    where d.org_id = v_due.org_id and d.id = v_due.dag_id
    for no key update skip locked;
    continue when not found;
    select b.* into v_build
    from tenuto.builds b
    where b.dag_version_id = v_due.dag_version_id and b.due_at <= tenuto.now()
    for update skip locked;
    continue when not found;
    v_readers := exists (select from tenuto.reader_updates u where u.dag_version_id = v_build.dag_version_id);
    case
      when v_build.phase = 'start' then perform tenuto._start_build_piece(v_build);
      when v_build.phase = 'retry' then perform tenuto._retry_build_piece(v_build);
      when v_build.phase = 'catch_up' then perform tenuto._catch_up(v_build);
      when v_readers then null;   -- until the last piece for readers, there is something due
      when v_build.phase = 'follow' then perform tenuto._follow_build(v_build);
      else perform tenuto._cancel_build_piece(v_build, v_due.dag_id);
    end case;
    if v_readers then
      perform tenuto._update_readers(v_build);
    end if;
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
