-- Returns changes in the form that the audit log stores. Raises TN003 if they are not {field: {"old": …, "new": …}}.
create or replace function tenuto._audit_changes(p_changes jsonb)
  returns jsonb
  language plpgsql
  immutable parallel safe
as $$
declare
  v_wrong text;
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
  return tenuto._stored_changes(p_changes);
end
$$;
