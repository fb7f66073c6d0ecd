-- Returns how long an org keeps its finished runs: settings.retention_days, or 14 days.
create or replace function tenuto._retention(p_settings jsonb)
  returns interval
  language sql
  immutable parallel safe
return interval '1 day' * coalesce((p_settings ->> 'retention_days')::float8, 14);
