-- Returns {field: {"old": …, "new": …}} without secrets, with long values replaced by their length and hash.
create or replace function tenuto._stored_changes(p_changes jsonb)
  returns jsonb
  language plpgsql
  immutable parallel safe
as $$
declare
  v_text text := p_changes::text;
begin
  -- Only changes that are long, or contain a word that _redact looks for, are checked value by value, because this
  -- check takes a third of the time of writing an audit entry.
  if octet_length(v_text) <= 1024
     and lower(v_text) !~ ('secret|pass|pwd|token|hash|bcrypt|pepper|credential|authorization|cookie|key|tnw?_|dsn'
       || '|connection|://|akia|asia|bearer|eyj|gh[ops]_|github|glpat|xox|sk_') then
    return p_changes;
  end if;
  return (
    select coalesce(
      jsonb_object_agg(
        c.key,
        (select jsonb_object_agg(v.key, tenuto._audit_value(c.key, v.value)) from jsonb_each(c.value) v)),
      '{}')
    from jsonb_each(p_changes) c);
end
$$;
