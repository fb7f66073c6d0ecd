-- Advances at most p_limit builds that are due. A build can have two kinds of work. For tasks: starts the tasks that
-- compute a DAG version, checks whether they have ended, or cancels the tasks of a version that was rolled back. For
-- readers: makes jobs of other DAGs react to a cutover. Neither kind waits for the other, because a version may have
-- many readers, or a job that is paused; only the phases `follow` and `cancel` wait for the readers (_build_work). If
-- one kind of work fails, only this kind is parked. Locks the DAG, so that no deploy or cutover runs at the same time;
-- skips a DAG that another transaction has locked. p_keys: keys of _build_work; does only this work, even if it is
-- parked. Returns how many builds were advanced.
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
      and exists (
        select from tenuto._build_work(b) w
        where (p_keys is null or w.key = any (p_keys)) and w.key <> all (v_parked))
    order by b.due_at
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
    for v_readers in
      select w.readers
      from tenuto._build_work(v_build) w
      where (p_keys is null or w.key = any (p_keys)) and w.key <> all (v_parked)
      order by w.readers
    loop
      case
        when v_readers then perform tenuto._update_readers(v_build);
        when v_build.phase = 'start' then perform tenuto._start_build_piece(v_build);
        when v_build.phase = 'retry' then perform tenuto._retry_build_piece(v_build);
        when v_build.phase = 'catch_up' then perform tenuto._catch_up(v_build);
        when v_build.phase = 'follow' then perform tenuto._follow_build(v_build);
        else perform tenuto._cancel_build_piece(v_build, v_due.dag_id);
      end case;
    end loop;
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
