-- Raises TN003 for a filter that a bulk operation cannot use: a filter without any condition, or with a status that is
-- not in p_statuses.
create or replace function tenuto._check_filter(
  p_status text, p_name text, p_type text, p_since timestamptz, p_statuses text[])
  returns void
  language plpgsql
  stable
as $$
begin
  if p_status is null and p_name is null and p_type is null and p_since is null then
    perform tenuto._raise('TN003', 'a filter without any condition would match every run',
      'pass a status, type, name or since');
  elsif p_status <> all (p_statuses) then
    perform tenuto._raise('TN003', format('this call does not apply to runs with the status %L', p_status),
      'write ' || array_to_string(p_statuses, ', '));
  end if;
end
$$;
