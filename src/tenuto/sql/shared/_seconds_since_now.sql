-- Returns how long the statement has been running, for a call that may have waited for a lock since tenuto.now(). Test
-- databases replace it.
create or replace function tenuto._seconds_since_now()
  returns float8
  language sql
  volatile
return extract(epoch from clock_timestamp() - statement_timestamp());
