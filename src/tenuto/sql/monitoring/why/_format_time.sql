-- Returns a time as text for users, in UTC.
create or replace function tenuto._format_time(p_at timestamptz)
  returns text
  language sql
  stable parallel safe
return to_char(p_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"');
