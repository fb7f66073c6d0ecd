-- Returns how long the statement has been running, by the clock of a test database: no time passes while it stands
-- still.
create or replace function tenuto._seconds_since_now()
  returns float8
  language sql
  volatile
return case
  when coalesce(current_setting('tenuto.fake_now', true), '') <> '' then 0
  else extract(epoch from clock_timestamp() - statement_timestamp())
end;
