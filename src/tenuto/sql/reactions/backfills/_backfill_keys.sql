-- Returns the next partitions of a backfill, at most p_limit, in its order; none after the last. Computes the keys of
-- partitions by time or range from their position, so that a million keys are never in one row or in memory.
create or replace function tenuto._backfill_keys(p_backfill tenuto.backfills, p_limit int)
  returns text[]
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_kind text := p_backfill.keys ->> 'kind';
  v_every text := p_backfill.keys ->> 'every';
  v_size bigint := (p_backfill.keys ->> 'size')::bigint;
  v_next bigint := p_backfill.planned;
  v_last bigint := least(p_backfill.planned + p_limit, p_backfill.total) - 1;
  v_sign int := case when p_backfill.descending then -1 else 1 end;
  v_begin text := case when p_backfill.descending then p_backfill.last_key else p_backfill.first_key end;
  v_version uuid;
begin
  if v_kind = 'list' then
    return p_backfill.partitions[v_next + 1:v_last + 1];
  elsif v_kind = 'time' then
    return array(
      select tenuto._time_partition(v_every,
               tenuto._partition_time(v_every, v_begin) + v_sign * n * ('1 ' || v_every)::interval)
      from generate_series(v_next, v_last) n
      order by n);
  elsif v_kind = 'range' then
    return array(
      select s.start || '-' || (s.start + v_size)
      from (
        select n, substring(v_begin from '^-?\d+')::bigint + v_sign * n * v_size as start
        from generate_series(v_next, v_last) n) s
      order by s.n);
  end if;
  v_version := (
    select d.current_version_id
    from tenuto.datasets d
    where d.org_id = p_backfill.org_id and d.id = p_backfill.dataset_id);
  if p_backfill.descending then
    return array(
      select c.partition_key
      from tenuto.current_partitions c
      where c.org_id = p_backfill.org_id and c.dataset_version_id = v_version
        and c.partition_key >= p_backfill.first_key and c.partition_key <= p_backfill.last_key
        and (p_backfill.after_key is null or c.partition_key < p_backfill.after_key)
      order by c.partition_key desc
      limit p_limit);
  end if;
  return array(
    select c.partition_key
    from tenuto.current_partitions c
    where c.org_id = p_backfill.org_id and c.dataset_version_id = v_version
      and c.partition_key >= p_backfill.first_key and c.partition_key <= p_backfill.last_key
      and (p_backfill.after_key is null or c.partition_key > p_backfill.after_key)
    order by c.partition_key
    limit p_limit);
end
$$;
