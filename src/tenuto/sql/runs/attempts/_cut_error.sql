-- An error that fits: a failure can always be reported. One over 1 MB keeps the head of each of its texts, or, where it
-- has too many, of itself written out; what was cut is said.
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
    select jsonb_object_agg(left(e.key, 256),
      case when pg_column_size(e.value) > 16384 then to_jsonb(tenuto._truncate_text(e.value #>> '{}')) else e.value end)
    into v_cut
    from jsonb_each(p_error) e;
    return v_cut;
  end if;
  return jsonb_build_object('message', tenuto._truncate_text(p_error #>> '{}'));
end
$$;
