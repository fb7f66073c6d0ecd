-- Returns how many seconds the statement has been running, by the clock of a test database: 0 if `tenuto.fake_now` has
-- stopped that clock.
create or replace function tenuto._seconds_since_now()
  returns float8
  language sql
  volatile
return case
  when coalesce(current_setting('tenuto.fake_now', true), '') <> '' then 0
  else extract(epoch from clock_timestamp() - statement_timestamp())
end;
