-- Returns the hash that a job gets instead of p_config_hash, because data with p_config_hash was computed from the lost
-- datasets p_lost.
create or replace function tenuto._next_hash(p_config_hash text, p_lost uuid[])
  returns text
  language sql
  stable
as $$
  select encode(sha256(convert_to(p_config_hash || ':' || array_to_string(p_lost, ','), 'UTF8')), 'hex');
$$;
