-- A value as the audit log keeps it: no secret, and of more than 1 KB only its length and hash.
create or replace function tenuto._audit_value(p_field text, p_value jsonb)
  returns jsonb
  language sql
  immutable parallel safe
return case
  when p_value is null or jsonb_typeof(p_value) = 'null' then p_value
  when p_field ~* '(^|_)(secret|password|passwd|token|hash|bcrypt|pepper|private_key|credential|authorization|cookie)s?$' then '"[secret]"'::jsonb
  when p_value::text ~ 'tnw?_[a-z0-9]+_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}' then '"[secret]"'::jsonb
  when octet_length(p_value::text) > 1024
    then jsonb_build_object('length', octet_length(p_value::text), 'sha256', encode(sha256(convert_to(p_value::text, 'UTF8')), 'hex'))
  else p_value
end;
