-- Returns an error of any shape in a few words.
create or replace function tenuto._format_error(p_error jsonb)
  returns text
  language sql
  stable
return case p_error ->> 'reason'
  when 'worker_lost' then format('its worker %s was lost', p_error ->> 'worker')
  when 'attempt_lost' then concat_ws(': ', 'the attempt was lost', left(p_error ->> 'message', 200))
  when 'timeout' then 'its timeout passed'
  when 'heartbeat_timeout' then 'it sent no heartbeat for too long'
  else coalesce(left(concat_ws(': ', p_error ->> 'type', p_error ->> 'message'), 200), '')
       || case when p_error ? 'message' or p_error ? 'type' then '' else left(p_error #>> '{}', 200) end
end;
