-- The only clock. Stable, so that it can be an index condition; test databases replace it by one that tests can move.
create or replace function tenuto.now()
  returns timestamptz
  language sql
  stable parallel safe
return statement_timestamp();
