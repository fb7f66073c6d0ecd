-- Returns the id of the data object that a value refers to; null for any other value.
create or replace function tenuto_compat_spider._object_id(p_value jsonb)
  returns uuid
  language sql
  immutable parallel safe
return substring(p_value ->> '$object' from '(?i)^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$')::uuid;
