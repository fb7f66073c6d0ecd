-- Returns {field: {"old": …, "new": …}} as the audit log stores it: checked, without secrets, long values hashed.
create or replace function tenuto._audit_changes(p_changes jsonb)
  returns jsonb
  language plpgsql
  immutable parallel safe
as $$
declare
  v_wrong text;
  v_text text := p_changes::text;
begin
  if jsonb_typeof(p_changes) is distinct from 'object' then
    perform tenuto._raise('TN003', 'changes are not a JSON object', 'write {"field": {"old": 1, "new": 2}}');
  end if;
  if jsonb_path_exists(p_changes, 'strict $.* ? (@.type() != "object")')
     or jsonb_path_exists(p_changes, '$.*.keyvalue() ? (@.key != "old" && @.key != "new")') then
    select c.key into v_wrong
    from jsonb_each(p_changes) c
    where jsonb_typeof(c.value) <> 'object' or (c.value - 'old' - 'new') <> '{}'
    limit 1;
    perform tenuto._raise('TN003', format('the change of %L is not an object with old and new', left(v_wrong, 100)),
      'write {"field": {"old": 1, "new": 2}}');
  end if;

  -- Only changes that are long, or contain a word that _redact looks for, are checked value by value: that costs a
  -- third of the whole call.
  if octet_length(v_text) <= 1024
     and v_text !~* ('secret|pass|pwd|token|hash|bcrypt|pepper|credential|authorization|cookie|key|tnw?_|dsn|connection'
       || '|://|akia|asia|bearer|eyj|gh[ops]_|github|glpat|xox|sk_') then
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
