-- Returns true if an attempt may write to a location. Such a location consists of the folder p_root of a dataset
-- version, one folder for the partition, and p_own, the folder of the attempt.
create or replace function tenuto._is_staging(p_location text, p_root text, p_own text)
  returns boolean
  language sql
  immutable parallel safe
return coalesce(
  starts_with(p_location, p_root)
  and substr(p_location, length(p_root) + 1) ~ ('^[A-Za-z0-9_.~%-]{1,255}/' || p_own || '$')
  and substr(p_location, length(p_root) + 1) !~ '^\.{1,2}/',
  false);
