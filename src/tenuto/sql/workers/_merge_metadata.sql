-- What a worker has said of itself so far, with what it says now. Should both together be over 1 MB, the old goes: a
-- worker that invents a new name with every beat must not lose its lease over it.
create or replace function tenuto._merge_metadata(p_old jsonb, p_new jsonb)
  returns jsonb
  language sql
  immutable parallel safe
return case when pg_column_size(p_old || p_new) <= 1048576 then p_old || p_new else p_new end;
