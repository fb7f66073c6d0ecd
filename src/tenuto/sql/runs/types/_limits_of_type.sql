-- Returns the limits of one task, from the declaration of its type. Limits of other queues are left out. The key of a
-- limit per value of a parameter ends with the value in p_input, in the same text form that the SDK uses. Raises TN003
-- if this value is the output of another task, which is not known yet.
create or replace function tenuto._limits_of_type(p_type text, p_limits jsonb, p_queue text, p_input jsonb)
  returns jsonb
  language plpgsql
  immutable
as $$
declare
  v_limit jsonb;
  v_value jsonb;
  v_text text;
  v_found jsonb := '[]';
begin
  for v_limit in select jsonb_array_elements(p_limits)
  loop
    if v_limit ->> 'scope' = 'queue' and v_limit ->> 'key' <> p_queue then
      continue;
    elsif v_limit ? 'parameter' then
      v_value := coalesce(
        case jsonb_typeof(p_input)
          when 'object' then p_input -> (v_limit ->> 'parameter')
          when 'array' then p_input -> (v_limit ->> 'position')::int
        end,
        v_limit -> 'default',
        'null');
      if jsonb_path_exists(v_value, '$.**."$slot"') then
        perform tenuto._raise('TN003',
          format('the limit of %s is per value of %s, which is the output of another task and not known yet',
            p_type, v_limit ->> 'parameter'),
          'pass a value, set the limits yourself, or write inherit: false');
      end if;
      v_text := case jsonb_typeof(v_value) when 'string' then v_value #>> '{}' else v_value::text end;
      if length(v_text) > 200 then
        v_text := 'sha256:' || encode(sha256(convert_to(v_text, 'UTF8')), 'hex');
      end if;
      v_limit := v_limit - array['parameter', 'position', 'default']
                 || jsonb_build_object('key', (v_limit ->> 'key') || v_text);
    end if;
    v_found := v_found || v_limit;
  end loop;
  return nullif(v_found, '[]');
end
$$;
