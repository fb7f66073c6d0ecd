-- Returns the time of the statement. All functions use only this clock. The function is stable, so that it can be used
-- in index conditions. Test databases replace it with a clock that tests can move.
create or replace function tenuto.now()
  returns timestamptz
  language sql
  stable parallel safe
return statement_timestamp();
