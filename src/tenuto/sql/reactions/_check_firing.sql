-- Checks the fire times of a schedule. Raises TN003 if they are not a list, if one is in the future, if one is before
-- p_expected or not before p_next_at, or if p_next_at is not after p_expected. Raises TN007 if there are more than
-- 1,000.
create or replace function tenuto._check_firing(
  p_name text, p_expected timestamptz, p_fire_times jsonb, p_next_at timestamptz)
  returns void
  language plpgsql
  stable
as $$
begin
  if jsonb_typeof(p_fire_times) is distinct from 'array' then
    perform tenuto._raise('TN003', format('the fire times of schedule %s are not a list', p_name));
  elsif jsonb_array_length(p_fire_times) > 1000 then
    perform tenuto._raise('TN007',
      format('%s fire times of schedule %s in one call, more than 1000', jsonb_array_length(p_fire_times), p_name),
      'fire the rest with the next call');
  elsif p_next_at <= p_expected or exists (
    select from jsonb_array_elements_text(p_fire_times) f
    where f is null or f::timestamptz < p_expected or f::timestamptz >= p_next_at or f::timestamptz > tenuto.now()) then
    perform tenuto._raise('TN003', format('schedule %s has a fire time in the future, or not between %s and %s: %s',
      p_name, p_expected, coalesce(p_next_at::text, 'its end'), p_fire_times));
  end if;
end
$$;
