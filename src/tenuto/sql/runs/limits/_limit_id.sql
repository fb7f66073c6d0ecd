-- Returns the id of a limit: a hash of org, scope and key, so that tasks can be in its line before it has a row.
create or replace function tenuto._limit_id(p_org_id uuid, p_scope text, p_key text)
  returns bigint
  language sql
  stable
as $$
  select ('x' || encode(substr(sha256(convert_to(concat_ws(' ', p_org_id, p_scope, p_key), 'UTF8')), 1, 8), 'hex'))
           ::bit(64)::bigint & 9223372036854775807;
$$;
