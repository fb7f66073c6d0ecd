-- Raises TN003 unless there are 1 to 64 permissions, each of them <thing>:<read|write|*>, runs:delete or *.
create or replace function tenuto._check_permissions(p_permissions text[])
  returns void
  language plpgsql
  stable
as $$
declare
  v_wrong text;
begin
  if coalesce(cardinality(p_permissions), 0) not between 1 and 64 then
    perform tenuto._raise('TN003',
      format('a key has 1 to 64 permissions, not %s', coalesce(cardinality(p_permissions), 0)),
      'write runs:read, runs:write, runs:* or *');
  end if;
  select coalesce(p, 'null') into v_wrong
  from unnest(p_permissions) p
  where p is null or p !~ '^(\*|runs:delete|[a-z][a-z_]{0,62}:(read|write|\*))$'
  limit 1;
  if found then
    perform tenuto._raise('TN003', format('%L is not a permission', left(v_wrong, 100)),
      'write runs:read, runs:write, runs:* or *');
  end if;
end
$$;
