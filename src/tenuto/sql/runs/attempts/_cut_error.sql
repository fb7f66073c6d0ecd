-- Returns an error of at most 1 MB, so that a failure can always be reported. A larger error keeps the beginning of
-- each long text. If it is not an object or has more than 16 fields, only the beginning of its JSON text is kept. The
-- result says how much was cut.
create or replace function tenuto._cut_error(p_error jsonb)
  returns jsonb
  language plpgsql
  immutable
as $$
declare
  v_cut jsonb;
begin
  if pg_column_size(p_error) <= 1048576 then
    return p_error;
  end if;
  if jsonb_typeof(p_error) = 'object' and (select count(*) from jsonb_object_keys(p_error)) <= 16 then
    select jsonb_object_agg(
      left(e.key, 256),
      case when pg_column_size(e.value) > 16384
           then to_jsonb(tenuto._truncate_text(e.value #>> '{}'))
           else e.value end)
    into v_cut
    from jsonb_each(p_error) e;
    return v_cut;
  end if;
  return jsonb_build_object('message', tenuto._truncate_text(p_error #>> '{}'));
end
$$;
