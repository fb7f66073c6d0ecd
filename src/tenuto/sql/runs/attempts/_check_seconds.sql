-- Raises TN003 for seconds that cannot be added to a time: more than ten years, infinity, or NaN (which Postgres sorts
-- after all numbers).
create or replace function tenuto._check_seconds(p_seconds float8[])
  returns void
  language plpgsql
as $$
declare
  v_no bigint;
  v_seconds float8;
begin
  select s.no - 1, s.seconds
  into v_no, v_seconds
  from unnest(p_seconds) with ordinality s(seconds, no)
  where s.seconds > 315360000
  limit 1;
  if found then
    perform tenuto._raise('TN003',
      format('the delay of report %s of the batch is %s seconds, more than ten years', v_no, v_seconds));
  end if;
end
$$;
