-- Returns a value in the form that the audit log stores, without secrets. Of a value of more than 1 KB, returns only
-- the length and hash. Of a value of more than 1,000 levels, which _redact could not read, returns only the length.
create or replace function tenuto._audit_value(p_field text, p_value jsonb)
  returns jsonb
  language sql
  immutable parallel safe
as $$
  select case
    when p_value @? '$.**{1000}' then jsonb_build_object('length', octet_length(p_value::text))
    when octet_length(v.value::text) > 1024
      then jsonb_build_object(
        'length', octet_length(v.value::text),
        'sha256', encode(sha256(convert_to(v.value::text, 'UTF8')), 'hex'))
    else v.value
  end
  from (select case when not p_value @? '$.**{1000}' then tenuto._redact(p_field, p_value) end as value) v;
$$;
