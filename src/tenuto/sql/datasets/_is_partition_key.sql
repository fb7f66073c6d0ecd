-- Returns true for a text that can be a partition key. The percent-encoded key is the name of a folder, so it must have
-- 1 to 255 bytes, as file systems require: "2026-11-17" has 10 bytes; "a/b" becomes a%2Fb and has 5. A . or _ at the
-- start is encoded too. Control characters are not allowed.
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
