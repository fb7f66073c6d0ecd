-- Returns how many seconds have passed since tenuto.now(), which is the start of the statement. This can be long if the
-- call has waited for a lock. Test databases replace this function.
create or replace function tenuto._seconds_since_now()
  returns float8
  language sql
  volatile
return extract(epoch from clock_timestamp() - statement_timestamp());
