-- Returns how many tasks of a large run one transaction processes. Processing that many takes about 0.1 s.
create or replace function tenuto._request_piece()
  returns int
  language sql
  immutable parallel safe
return 1000;
