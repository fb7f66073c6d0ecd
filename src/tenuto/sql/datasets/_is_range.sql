-- Returns true if a partition key is a range such as 0-1000, which includes its start and not its end. With p_size, the
-- range must have this length and begin at a multiple of it.
create or replace function tenuto._is_range(p_size bigint, p_key text)
  returns boolean
  language plpgsql
  immutable
as $$
declare
  v_ends text[] := regexp_match(p_key, '^(-?\d{1,17})-(-?\d{1,17})$');
begin
  return coalesce(v_ends[1]::bigint < v_ends[2]::bigint
    and p_key = v_ends[1]::bigint || '-' || v_ends[2]::bigint   -- not 007-008
    and (p_size is null or v_ends[2]::bigint - v_ends[1]::bigint = p_size and v_ends[1]::bigint % p_size = 0), false);
end
$$;
