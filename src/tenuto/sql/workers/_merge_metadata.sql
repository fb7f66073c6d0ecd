-- Returns a worker's stored metadata merged with the new values. Returns only the new values if the merged metadata
-- would be over 1 MB: a worker that sends a new key with every heartbeat must not lose its lease for that reason.
create or replace function tenuto._merge_metadata(p_old jsonb, p_new jsonb)
  returns jsonb
  language sql
  immutable parallel safe
return case when pg_column_size(p_old || p_new) <= 1048576 then p_old || p_new else p_new end;
