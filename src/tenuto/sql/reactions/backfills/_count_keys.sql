-- Returns how many partitions a range of keys has, both ends included. Raises TN003 for ends that are not keys of the
-- dataset, for a range that ends before it begins, and for more than 10 million partitions.
create or replace function tenuto._count_keys(
  p_keys jsonb, p_first text, p_last text, p_org_id uuid, p_dataset_version_id uuid)
  returns bigint
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_kind text := p_keys ->> 'kind';
  v_every text := p_keys ->> 'every';
  v_bad text;
  v_count bigint;
begin
  if v_kind = 'committed' then
    return (
      select count(*)
      from tenuto.current_partitions c
      where c.org_id = p_org_id and c.dataset_version_id = p_dataset_version_id
        and c.partition_key between p_first and p_last);
  end if;
  select k into v_bad
  from unnest(array[p_first, p_last]) k
  where case v_kind when 'time' then not tenuto._is_period(v_every, k)
                    else tenuto._map_partition(k, p_keys) is distinct from array[k] end
  limit 1;
  if found then
    perform tenuto._raise('TN003', format('%L is not a partition of the dataset', left(v_bad, 300)), case
      when v_kind = 'range' then format('write ranges of %s, such as 0-%s', p_keys ->> 'size', p_keys ->> 'size')
      else format('write keys such as %s', tenuto._time_partition(v_every, timestamp '2026-11-16 05:00')) end);
  end if;
  v_count := 1 + case
    when v_kind = 'range' then
      (substring(p_last from '^-?\d+')::bigint - substring(p_first from '^-?\d+')::bigint)
      / (p_keys ->> 'size')::bigint
    when v_every = 'month' then
      (left(p_last, 4)::int - left(p_first, 4)::int) * 12 + right(p_last, 2)::int - right(p_first, 2)::int
    else extract(epoch from tenuto._partition_time(v_every, p_last) - tenuto._partition_time(v_every, p_first))
         / extract(epoch from ('1 ' || v_every)::interval) end;
  if v_count < 1 then
    perform tenuto._raise('TN003', format('the range ends before it begins: %s to %s', p_first, p_last),
      'name the first partition first; a descending backfill begins with the last');
  elsif v_count > 10000000 then
    perform tenuto._raise('TN003', format('the range has %s partitions, more than 10,000,000', v_count),
      'start several backfills');
  end if;
  return v_count;
end
$$;
