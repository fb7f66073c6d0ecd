-- Returns how long an org keeps something, from its settings, in hours: 24 hours if it is not set.
create or replace function tenuto._hours_kept(p_settings jsonb, p_name text)
  returns interval
  language sql
  immutable parallel safe
return interval '1 hour' * coalesce((p_settings ->> p_name)::float8, 24);
