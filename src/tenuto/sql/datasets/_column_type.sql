-- Returns the Postgres type of a column of a dataset. Returns only types from the list below, because statements are
-- built with the result. Raises TN003 for another type.
create or replace function tenuto._column_type(p_type text)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_decimal text[] := regexp_match(p_type, '^DECIMAL\(([1-9][0-9]?),([0-9][0-9]?)\)$');
  v_type text;
begin
  if v_decimal is not null then
    return format('numeric(%s,%s)', v_decimal[1]::int, v_decimal[2]::int);
  end if;
  v_type := case p_type
    when 'BOOLEAN' then 'boolean'
    when 'SMALLINT' then 'smallint'
    when 'INTEGER' then 'integer'
    when 'BIGINT' then 'bigint'
    when 'REAL' then 'real'
    when 'DOUBLE' then 'double precision'
    when 'VARCHAR' then 'text'
    when 'TEXT' then 'text'
    when 'DATE' then 'date'
    when 'TIMESTAMP' then 'timestamp'
    when 'TIMESTAMPTZ' then 'timestamptz'
    when 'UUID' then 'uuid'
    when 'JSON' then 'json'   -- not jsonb, which would change the text
    when 'BLOB' then 'bytea'
  end;
  if v_type is null then
    perform tenuto._raise('TN003', format('there is no column type %s', coalesce(left(p_type, 100), 'null')));
  end if;
  return v_type;
end
$$;
