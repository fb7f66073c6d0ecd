-- Raises TN003 if a declared type has limits that its tasks cannot have.
create or replace function tenuto._check_declared_limits(p_limits jsonb)
  returns void
  language plpgsql
as $$
declare
  v_limit jsonb;
begin
  if p_limits is null then
    return;
  elsif jsonb_typeof(p_limits) <> 'array' or jsonb_array_length(p_limits) > 1000 then
    perform tenuto._raise('TN003', 'the limits of a type are not a list of at most 1000');
  end if;
  perform tenuto._check_limits(jsonb_build_array(l - array['parameter', 'position', 'default']))
  from jsonb_array_elements(p_limits) l;
  if jsonb_path_exists(p_limits, '$[*].parameter ? (@.type() != "string")')
     or jsonb_path_exists(p_limits, '$[*].position ? (@.type() != "number")') then
    perform tenuto._raise('TN003', 'a parameter of a limit is not a text, or its position not a number');
  end if;
  select l
  into v_limit
  from jsonb_array_elements(p_limits) l
  where l ? 'parameter' and right(l ->> 'key', length(l ->> 'parameter') + 2) <> format(':%s=', l ->> 'parameter')
  limit 1;
  if found then
    perform tenuto._raise('TN003',
      format('the key of limit %s does not end in :%s=', left(v_limit::text, 200), v_limit ->> 'parameter'),
      'write "app.function:to=" for a limit per value of parameter "to"');
  end if;
end
$$;
