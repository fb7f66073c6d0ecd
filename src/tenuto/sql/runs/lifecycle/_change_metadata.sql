-- Returns metadata with changes: a value replaces the whole value of its key, and null removes the key. Raises TN003 if
-- the changes are not a JSON object, TN004 if the metadata is not a JSON object, and TN007 if the result is over 1 MB.
create or replace function tenuto._change_metadata(p_what text, p_metadata jsonb, p_changes jsonb)
  returns jsonb
  language plpgsql
as $$
declare
  v_metadata jsonb := coalesce(nullif(p_metadata, 'null'), '{}');
begin
  if jsonb_typeof(p_changes) is distinct from 'object' then
    perform tenuto._raise('TN003', format('the changes of %s are not a JSON object', p_what),
      'write the keys to set, and null for those to remove');
  elsif jsonb_typeof(v_metadata) <> 'object' then
    perform tenuto._raise('TN004', format('%s is a JSON %s, which has no keys to set', p_what,
      jsonb_typeof(v_metadata)));
  end if;
  v_metadata := (v_metadata || p_changes) - array(select c.key from jsonb_each(p_changes) c where c.value = 'null');
  perform tenuto._check_size(p_what, v_metadata);
  return v_metadata;
end
$$;
