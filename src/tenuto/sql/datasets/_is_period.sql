-- Returns true if a partition key is a period of the kind p_every (hour, day, week or month), in the form that
-- _time_partition returns.
create or replace function tenuto._is_period(p_every text, p_key text)
  returns boolean
  language plpgsql
  immutable
as $$
begin
  return coalesce(
    p_key ~ '^\d{4}-\d\d(-\d\d(T\d\d)?)?$'
    and tenuto._time_partition(p_every, tenuto._partition_time(p_every, p_key)) = p_key,
    false);
exception
  when data_exception then
    return false;   -- such as 2026-02-30
end
$$;
