-- Releases held jobs that no backlog holds any more, for example because the DAG with the backlog was deleted. Also
-- continues builds that are done although jobs of other DAGs still have to react to their data. Returns how many orgs
-- and builds it repaired. With p_keys, processes only these (_stranded_jobs), even if they are parked.
create or replace function tenuto.sweep_jobs(p_limit int default 100, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_parked text[] := tenuto._parked('sweep_jobs', p_keys);
  v_keys text[] := array(
    select s.key
    from tenuto._stranded_jobs() s
    where (p_keys is null or s.key = any (p_keys)) and s.key <> all (v_parked)
    order by random()
    limit p_limit);
begin
  perform tenuto._apply_backpressure(split_part(k, ':', 2)::uuid) from unnest(v_keys) k where k like 'org:%' order by k;
  update tenuto.builds
  set phase = 'catch_up', due_at = tenuto.now(), position = null
  where phase = 'done'
    and dag_version_id = any (array(select split_part(k, ':', 2)::uuid from unnest(v_keys) k where k like 'readers:%'));
  return cardinality(v_keys);
end
$$;
