-- Returns the partitions of a job to which a partition of its input belongs, by the map of the input. Returns null if
-- it belongs to none, or to more than 1,000. Without a map, it belongs to the partition with the same key. A range is
-- written as "start-end" and does not include its end: with ranges of 100, "50-250" belongs to {0-100,100-200,200-300}.
-- Times are written as 2026-11-17T05 (hour), 2026-11-17 (day; or week, by its Monday) and 2026-11 (month), in UTC.
create or replace function tenuto._map_partition(p_key text, p_map jsonb)
  returns text[]
  language plpgsql
  immutable
as $$
declare
  v_every text := p_map ->> 'every';
  v_size bigint;
  v_range text[];
  v_first bigint;
  v_last bigint;
begin
  if coalesce(p_map ->> 'kind', 'identity') = 'identity' then
    return array[p_key];
  elsif p_map ->> 'kind' = 'range' then
    v_range := regexp_match(p_key, '^(-?\d{1,17})-(-?\d{1,17})$');
    v_size := (p_map ->> 'size')::bigint;
    v_first := floor(v_range[1]::numeric / v_size);
    v_last := ceil(v_range[2]::numeric / v_size) - 1;
    if v_last - v_first between 0 and 999 and v_range[1]::bigint < v_range[2]::bigint then
      return array(
        select (n * v_size) || '-' || (n * v_size + v_size) from generate_series(v_first, v_last) n order by n);
    end if;
    return null;
  elsif p_key !~ '^\d{4}-\d\d(-\d\d(T\d\d)?)?$'
        or length(p_key) < (case v_every when 'hour' then 13 when 'month' then 7 else 10 end) then
    return null;
  end if;
  return array[case v_every
    when 'hour' then p_key
    when 'month' then left(p_key, 7)
    else to_char(date_trunc(v_every, left(p_key, 10)::timestamp), 'YYYY-MM-DD') end];
exception
  when data_exception then
    return null;   -- a time such as 2026-02-30
end
$$;
