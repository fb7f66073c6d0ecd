-- Returns the partition keys of a trigger, or one empty key if p_partitions is null. Raises TN003 unless they are 1 to
-- 1,000 different texts that can be partition keys.
create or replace function tenuto._check_partitions(p_partitions text[])
  returns text[]
  language plpgsql
  immutable
as $$
declare
  v_bad text;
begin
  if p_partitions is null then
    return array[''];
  end if;
  if cardinality(p_partitions) not between 1 and 1000 then
    perform tenuto._raise('TN003', format('a trigger has 1 to 1,000 partitions, not %s', cardinality(p_partitions)),
      'pass more partitions in several calls, or leave them out for a task without a partition');
  end if;
  select coalesce(p, 'null') into v_bad
  from unnest(p_partitions) p
  where not tenuto._is_partition_key(p)
  limit 1;
  if found then
    perform tenuto._raise('TN003',
      format('partition %L is not a text of 1 to 255 bytes without control characters', left(v_bad, 300)),
      'each byte of a character other than A-Z, a-z, 0-9, -, _, . and ~ counts as three, and so does a first . or _');
  end if;
  select p into v_bad from unnest(p_partitions) p group by p having count(*) > 1 limit 1;
  if found then
    perform tenuto._raise('TN003', format('partition %L is given twice', v_bad));
  end if;
  return p_partitions;
end
$$;
