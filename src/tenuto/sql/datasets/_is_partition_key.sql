-- Returns true for a text that can be a partition key: its folder, the percent-encoded key, has 1 to 255 bytes, which
-- is what file systems allow. "2026-11-17" is 10 of them, "a/b" is a%2Fb and 5. An encoded first . or _ counts too.
create or replace function tenuto._is_partition_key(p_key text)
  returns boolean
  language sql
  immutable parallel safe
return coalesce(
  p_key <> ''
  and p_key !~ '[[:cntrl:]]'
  and octet_length(p_key) + 2 * octet_length(regexp_replace(p_key, '[A-Za-z0-9_.~-]', '', 'g'))
      + case when p_key ~ '^[._]' then 2 else 0 end <= 255,
  false);
