-- Raises TN003 unless p_limits is a list of 1 to 32 different limits: {"scope": "key" | "queue", "key": …, "size": …},
-- and at most one rate: {"scope": "rate", "key": …, "size": …, "seconds": …}. Two rates are not allowed, because tasks
-- that one rate admits would then pile up at the other.
create or replace function tenuto._check_limits(p_limits jsonb)
  returns void
  language plpgsql
as $$
declare
  v_limit jsonb;
begin
  if jsonb_typeof(p_limits) <> 'array' or p_limits = '[]' then
    perform tenuto._raise('TN003', format('limits are %s, not a list of limits', p_limits),
      'leave them out for a task without limits');
  end if;
  if jsonb_array_length(p_limits) > 32 then
    perform tenuto._raise('TN003', format('%s limits for one task, more than 32', jsonb_array_length(p_limits)));
  end if;
  for v_limit in select jsonb_array_elements(p_limits)
  loop
    perform tenuto._check_keys('a limit', v_limit, array['scope', 'key', 'size', 'seconds']);
    if v_limit ->> 'scope' is null or v_limit ->> 'scope' not in ('key', 'queue', 'rate') then
      perform tenuto._raise('TN003', format('the scope of limit %s is not key, queue or rate', v_limit));
    elsif jsonb_typeof(v_limit -> 'key') is distinct from 'string'
          or octet_length(v_limit ->> 'key') not between 1 and 1024 then
      perform tenuto._raise('TN003',
        format('the key of limit %s is not a text of 1 to 1024 bytes', left(v_limit::text, 200)));
    elsif jsonb_typeof(v_limit -> 'size') is distinct from 'number'
          or v_limit ->> 'size' !~ '^([1-9][0-9]{0,5}|1000000)$' then
      perform tenuto._raise('TN003', format('the size of limit %s is not a whole number from 1 to 1,000,000', v_limit));
    elsif v_limit ->> 'scope' <> 'rate' and v_limit ? 'seconds' then
      perform tenuto._raise('TN003', format('limit %s has seconds', v_limit), 'only limits of scope rate have them');
    elsif v_limit ->> 'scope' = 'rate'
          and (jsonb_typeof(v_limit -> 'seconds') is distinct from 'number'
               or (v_limit ->> 'seconds')::numeric not between 0.001 and 2678400) then
      perform tenuto._raise('TN003',
        format('the seconds of limit %s are not a number from 0.001 to 2678400 (31 days)', v_limit));
    end if;
  end loop;
  if jsonb_array_length(p_limits) = 1 then
    return;
  end if;
  if (select count(*) <> count(distinct (l ->> 'scope', l ->> 'key')) from jsonb_array_elements(p_limits) l) then
    perform tenuto._raise('TN003', format('limits %s name one limit twice', p_limits));
  elsif jsonb_path_query_array(p_limits, '$[*] ? (@.scope == "rate")') -> 1 is not null then
    perform tenuto._raise('TN003', format('limits %s have more than one rate', p_limits),
      'keep the smaller one');
  end if;
end
$$;
