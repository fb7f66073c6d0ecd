-- Returns a JSON value with secrets replaced by "[secret]", at any depth. Replaces the values of fields whose names
-- suggest a secret, in any spelling (apiToken, api-token). Also replaces texts that contain something that looks like a
-- secret: a Tenuto or AWS key, a token of GitHub, GitLab, Slack or Stripe, a bearer token, a JWT, a private key, or a
-- password in an address or after "password=".
create or replace function tenuto._redact(p_field text, p_value jsonb)
  returns jsonb
  language sql
  immutable parallel safe
as $$
  select case
    when p_value is null or jsonb_typeof(p_value) = 'null' then p_value
    when regexp_replace(p_field, '([a-z0-9])([A-Z])', '\1_\2', 'g')
      ~* ('(^|[_. -])(secret|password|passwd|pwd|pass[_ -]?phrase|token|hash|bcrypt|pepper|credential|authorization'
          || '|cookie|dsn|connection[_ -]?string'
          || '|(api|access|private|secret|signing|encryption|account)[_ -]?key([_ -]?id)?)s?$')
      then '"[secret]"'
    when jsonb_typeof(p_value) = 'object'
      then coalesce((select jsonb_object_agg(e.key, tenuto._redact(e.key, e.value)) from jsonb_each(p_value) e), '{}')
    when jsonb_typeof(p_value) = 'array'
      then coalesce((select jsonb_agg(tenuto._redact(null, e.value) order by e.no)
                     from jsonb_array_elements(p_value) with ordinality e(value, no)), '[]')
    when jsonb_typeof(p_value) = 'string' and length(p_value::text) > 12 and p_value::text
      ~ ('tnw?_[a-z0-9]+_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}|://[^/@ ]*:[^@ ]+@|\m(AKIA|ASIA)[0-9A-Z]{16}'
         || '|\m[Bb]earer [0-9A-Za-z._~+/=-]{6}|\meyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]+|PRIVATE KEY-----'
         || '|\m(ghp|gho|ghs|github_pat|glpat|xox[abprs]|sk_live|sk_test)[_-][0-9A-Za-z_-]{10}'
         || '|\m([Pp]assword|[Pp]wd) ?= ?[^ ]')
      then '"[secret]"'
    else p_value
  end;
$$;
