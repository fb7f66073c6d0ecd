-- Returns how many partitions one transaction of a build processes. Such a transaction takes about 0.1 s.
create or replace function tenuto._build_piece()
  returns int
  language sql
  immutable parallel safe
return 200;
