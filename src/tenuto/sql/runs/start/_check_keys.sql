-- Raises TN003 if the value is not a JSON object or has unknown keys, so that a typing error is not silently ignored.
create or replace function tenuto._check_keys(p_what text, p_object jsonb, p_known text[])
  returns void
  language plpgsql
as $$
declare
  v_key text;
begin
  if jsonb_typeof(p_object) is distinct from 'object' then
    perform tenuto._raise('TN003', format('%s is not a JSON object', p_what));
  end if;
  select k into v_key from jsonb_object_keys(p_object) k where k <> all (p_known) order by 1 limit 1;
  if found then
    perform tenuto._raise('TN003', format('%s has an unknown key %L', p_what, v_key),
      'known keys: ' || array_to_string(p_known, ', '));
  end if;
end
$$;
