-- Deprecated: call list_runs or list_tasks, with p_before set to the first id after those that begin with the digits.
-- Returns at most p_limit ids of the org's runs (p_kind run) or tasks (task) that begin with these hexadecimal digits.
create or replace function tenuto.find_ids(p_org_id uuid, p_kind text, p_digits text, p_limit int default 6)
  returns setof uuid
  language plpgsql
  stable
as $$
declare
  v_first uuid;
  v_last uuid;
begin
  if p_digits !~ '^[0-9a-f]{4,32}$' then
    perform tenuto._raise('TN003', format('%L is not the beginning of an id', p_digits),
      'write 4 to 32 hexadecimal digits');
  end if;
  v_first := rpad(p_digits, 32, '0')::uuid;
  v_last := rpad(p_digits, 32, 'f')::uuid;
  if p_kind = 'run' then
    return query
    select r.id from tenuto.runs r
    where r.org_id = p_org_id and r.id between v_first and v_last
    order by r.id limit p_limit;
  else
    return query
    select t.id from tenuto.tasks t
    where t.org_id = p_org_id and t.id between v_first and v_last
    order by t.id limit p_limit;
  end if;
end
$$;
