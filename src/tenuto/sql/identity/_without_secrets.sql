-- A value without what nobody may read later, however deep it stands: fields whose names say so, and keys of ours.
create or replace function tenuto._without_secrets(p_field text, p_value jsonb)
  returns jsonb
  language sql
  immutable parallel safe
as $$
  select case
    when p_value is null or jsonb_typeof(p_value) = 'null' then p_value
    when p_field ~* '(^|_|-)(secret|password|passwd|token|hash|bcrypt|pepper|credential|authorization|cookie|(api|access|private|secret)[_-]?key)s?$'
      then '"[secret]"'
    when jsonb_typeof(p_value) = 'object'
      then coalesce((select jsonb_object_agg(e.key, tenuto._without_secrets(e.key, e.value)) from jsonb_each(p_value) e), '{}')
    when jsonb_typeof(p_value) = 'array'
      then coalesce((select jsonb_agg(tenuto._without_secrets(null, e.value) order by e.no)
                     from jsonb_array_elements(p_value) with ordinality e(value, no)), '[]')
    when p_value::text ~ 'tnw?_[a-z0-9]+_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}' then '"[secret]"'
    else p_value
  end;
$$;
