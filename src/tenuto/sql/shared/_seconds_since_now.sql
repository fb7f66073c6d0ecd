-- Returns how many seconds have passed since tenuto.now(), the start of the statement: the call may have waited for a
-- lock. Test databases replace this function.
create or replace function tenuto._seconds_since_now()
  returns float8
  language sql
  volatile
return extract(epoch from clock_timestamp() - statement_timestamp());
