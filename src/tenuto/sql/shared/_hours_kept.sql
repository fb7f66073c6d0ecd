-- Returns how long an org keeps one kind of data: the number of hours in its setting p_name, or 24 hours without that
-- setting.
create or replace function tenuto._hours_kept(p_settings jsonb, p_name text)
  returns interval
  language sql
  immutable parallel safe
return interval '1 hour' * coalesce((p_settings ->> p_name)::float8, 24);
